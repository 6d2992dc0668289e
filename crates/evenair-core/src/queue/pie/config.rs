//! The parameters of PIE. Each form has its own.

use crate::component::{
    Parameter, Parameters, Value, configuration, integer, named, names, number, positive, switch,
};
use crate::time::Duration;

configuration! {
    /// Parameters of PIE.
    pub struct PieConfig {
        name: "pie",
        summary: "random drops on arrival, with a probability that steers the queue delay to a target",
        source: "RFC 8033; Linux 5.10",
    }
    /// The form, with its parameters.
    settings: FormConfig = FormConfig::of(Form::Rfc8033);
}

named! {
    /// Whose rules PIE follows.
    pub enum Form {
        /// RFC 8033.
        #[default]
        Rfc8033 => "rfc8033",
        /// `sch_pie.c` of Linux 5.10.
        Linux => "linux",
    }
    planned []
}

named! {
    /// How the queue delay is measured.
    pub enum DelayEstimate {
        /// The waiting time of the last departed packet.
        #[default]
        Timestamps => "timestamps",
        /// The bytes that wait, divided by the departure rate.
        Rate => "rate",
    }
    planned []
}

configuration! {
    /// The form alone.
    pub group FormKey;
    /// whose rules: those of RFC 8033 with its options, or those of Linux 5.10, which has fewer
    /// parameters
    form: Form = Form::Rfc8033, names();
}

configuration! {
    /// Parameters of the form `"rfc8033"`.
    pub group Rfc8033Config;
    /// target queue delay (QDELAY_REF)
    target: Duration = Duration::from_millis(15), positive();
    /// time between two updates of the drop probability (T_UPDATE)
    tupdate: Duration = Duration::from_millis(15), positive();
    /// weight of the deviation from the target, per second
    alpha: f64 = 0.125, number(0.0..=1e3);
    /// weight of the change of the delay, per second
    beta: f64 = 1.25, number(0.0..=1e3);
    /// length of a burst that passes without random drops (MAX_BURST); 150 ms in the form "linux"
    max_burst: Duration = Duration::from_millis(150), positive();
    /// bytes; while twice as many or fewer wait, nothing is dropped at random
    /// (MEAN_PKTSIZE); the MTU in the form "linux"
    mean_packet: u64 = 1024, integer(1..=65_535);
    /// how the queue delay is measured: the waiting time of the last departed packet, or
    /// the waiting bytes divided by the departure rate
    delay: DelayEstimate = DelayEstimate::Timestamps, names();
    /// bound the distance between random drops from below and above; always in the form "linux"
    derandomize: bool = false, switch();
    /// limit the increase of the probability to 2% per update from 10% on; always in the form "linux"
    cap_adjustment: bool = false, switch();
    /// mark packets of ECN-capable transports instead of dropping them
    ecn: bool = false, switch();
    /// with ecn: packets are dropped, not marked, at this drop probability or above
    /// (mark_ecnth); above 10% in the form "linux"
    mark_threshold: f64 = 0.1, number(0.0..=1.0);
}

configuration! {
    /// Parameters of the form `"linux"`: those of `tc qdisc add ... pie`.
    pub group LinuxConfig;
    /// target queue delay (target)
    target: Duration = Duration::from_millis(15), positive();
    /// time between two updates of the drop probability (tupdate)
    tupdate: Duration = Duration::from_millis(15), positive();
    /// weight of the deviation from the target, per second, in whole sixteenths; tc's alpha is 16 times
    /// as much, 2
    alpha: f64 = 0.125, number(0.0..=2.0);
    /// weight of the change of the delay, per second, in whole sixteenths; tc's beta is 16 times as
    /// much, 20
    beta: f64 = 1.25, number(0.0..=2.0);
    /// how the queue delay is measured: the waiting time of the last departed packet, or
    /// the waiting bytes divided by the departure rate (dq_rate_estimator)
    delay: DelayEstimate = DelayEstimate::Timestamps, names();
    /// mark packets of ECN-capable transports instead of dropping them (ecn)
    ecn: bool = false, switch();
}

/// The form with its parameters. Assigning the form gives each parameter the default of that form.
#[derive(Clone, Debug, PartialEq)]
pub enum FormConfig {
    /// RFC 8033.
    Rfc8033(Rfc8033Config),
    /// Linux 5.10.
    Linux(LinuxConfig),
}

impl FormConfig {
    /// A form with its defaults.
    pub fn of(form: Form) -> Self {
        match form {
            Form::Rfc8033 => Self::Rfc8033(Rfc8033Config::default()),
            Form::Linux => Self::Linux(LinuxConfig::default()),
        }
    }

    fn form(&self) -> Form {
        match self {
            Self::Rfc8033(_) => Form::Rfc8033,
            Self::Linux(_) => Form::Linux,
        }
    }

    /// Time between two updates.
    pub(super) fn tupdate(&self) -> Duration {
        match self {
            Self::Rfc8033(config) => config.tupdate,
            Self::Linux(config) => config.tupdate,
        }
    }
}

impl Default for FormConfig {
    fn default() -> Self {
        Self::of(Form::default())
    }
}

impl Parameters for FormConfig {
    fn visit(&self, visitor: &mut dyn FnMut(&'static Parameter, Value)) {
        FormKey { form: self.form() }.visit(visitor);
        match self {
            Self::Rfc8033(config) => config.visit(visitor),
            Self::Linux(config) => config.visit(visitor),
        }
    }

    fn assign(&mut self, name: &str, value: Value) -> bool {
        let mut key = FormKey { form: self.form() };
        if key.assign(name, value.clone()) {
            *self = Self::of(key.form);
            return true;
        }
        match self {
            Self::Rfc8033(config) => config.assign(name, value),
            Self::Linux(config) => config.assign(name, value),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::Config;
    use super::*;
    use crate::component::{put_kind_first, read};

    fn parse(text: &str) -> Result<PieConfig, String> {
        let mut table: serde_json::Value = serde_json::from_str(text).unwrap();
        put_kind_first(table.as_object_mut().unwrap());
        match read(&table).map_err(|error: serde_json::Error| error.to_string())? {
            Config::Pie(config) => Ok(config),
            other => panic!("{other:?}"),
        }
    }

    /// The form is read first, wherever it stands; what is given stays.
    #[test]
    fn each_form_has_its_own_parameters() {
        let rfc = FormConfig::Rfc8033(Rfc8033Config::default());
        assert_eq!(parse(r#"{"kind": "pie"}"#).unwrap().settings, rfc);
        assert_eq!(parse(r#"{"kind": "pie", "form": "rfc8033"}"#).unwrap().settings, rfc);
        let linux = LinuxConfig { beta: 0.5, ecn: true, ..LinuxConfig::default() };
        let got = parse(r#"{"beta": 0.5, "ecn": true, "kind": "pie", "form": "linux"}"#);
        assert_eq!(got.unwrap().settings, FormConfig::Linux(linux));
    }

    #[test]
    fn what_a_form_does_not_have_is_refused() {
        for (key, value) in [
            ("derandomize", "true"),
            ("cap_adjustment", "true"),
            ("mean_packet", "1514"),
            ("max_burst", "\"1 s\""),
            ("mark_threshold", "0.5"),
        ] {
            let message =
                |form| parse(&format!(r#"{{"kind": "pie", "form": "{form}", "{key}": {value}}}"#));
            assert!(message("rfc8033").is_ok(), "{key}");
            let error = message("linux").unwrap_err();
            let start = format!("`{key}` is no parameter of a \"pie\" queue");
            assert!(error.starts_with(&start), "{error}");
            assert!(error.contains("form, target, tupdate, alpha, beta, delay, ecn"), "{error}");
        }
        let error = parse(r#"{"kind": "pie", "form": "linux", "beta": 3}"#).unwrap_err();
        assert!(error.starts_with("got 3; accepted: a number from 0 to 2"), "{error}");
    }
}
