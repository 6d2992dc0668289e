//! The parameters of Vegas. Each form has its own defaults.

use crate::component::{Parameter, Parameters, Value, configuration, named, names, number};

configuration! {
    /// Parameters of Vegas.
    pub struct VegasConfig {
        name: "vegas",
        summary: "keeps between alpha and beta segments queued, judged by the round-trip time",
        source: "Linux 2.6.22; Brakmo and Peterson 1995",
        ordered: [settings.thresholds.alpha <= settings.thresholds.beta],
    }
    /// The form, and the thresholds whose defaults it sets.
    settings: FormConfig = FormConfig::of(Form::Linux);
}

named! {
    /// Whose rules Vegas follows.
    pub enum Form {
        /// `tcp_vegas.c` of Linux 2.6.22.
        #[default]
        Linux => "linux",
        /// The publication of 1995.
        Paper => "paper",
    }
    planned []
}

configuration! {
    /// The form alone.
    pub group FormKey;
    /// whose rules: Linux 2.6.22's, or those of the publication with its own loss detection,
    /// which replaces SACK and RACK
    form: Form = Form::Linux, names();
}

configuration! {
    /// Thresholds, in segments queued.
    pub group Thresholds;
    /// with fewer segments queued the window grows; 1 in the form "paper"
    alpha: f64 = 2.0, number(0.0..=1e6);
    /// with more segments queued the window shrinks; not below alpha; 3 in the form "paper"
    beta: f64 = 4.0, number(0.0..=1e6);
    /// with more segments queued slow start ends
    gamma: f64 = 1.0, number(0.0..=1e6);
}

/// The form and its thresholds. Assigning the form sets the thresholds to those of its source.
#[derive(Clone, Debug, PartialEq)]
pub struct FormConfig {
    /// Whose rules.
    pub form: Form,
    /// Thresholds.
    pub thresholds: Thresholds,
}

impl FormConfig {
    /// A form with the thresholds of its source: Linux 2.6.22, and section IV of the publication.
    pub fn of(form: Form) -> Self {
        let thresholds = match form {
            Form::Linux => Thresholds { alpha: 2.0, beta: 4.0, gamma: 1.0 },
            Form::Paper => Thresholds { alpha: 1.0, beta: 3.0, gamma: 1.0 },
        };
        Self { form, thresholds }
    }
}

impl Default for FormConfig {
    fn default() -> Self {
        Self::of(Form::default())
    }
}

impl Parameters for FormConfig {
    fn visit(&self, visitor: &mut dyn FnMut(&'static Parameter, Value)) {
        FormKey { form: self.form }.visit(visitor);
        self.thresholds.visit(visitor);
    }

    fn assign(&mut self, name: &str, value: Value) -> bool {
        let mut key = FormKey { form: self.form };
        if !key.assign(name, value.clone()) {
            return self.thresholds.assign(name, value);
        }
        *self = Self::of(key.form);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::Config;
    use super::*;
    use crate::component::{put_kind_first, read};

    fn parse(mut table: serde_json::Value) -> Config {
        put_kind_first(table.as_object_mut().unwrap());
        read(&table).unwrap()
    }

    /// The defaults are those of the form, wherever it stands, and what is given stays.
    #[test]
    fn each_form_has_the_thresholds_of_its_source() {
        let thresholds = |table| match parse(table) {
            Config::Vegas(VegasConfig { settings: FormConfig { thresholds: t, .. } }) => {
                (t.alpha, t.beta, t.gamma)
            }
            other => panic!("{other:?}"),
        };
        let json = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
        assert_eq!(thresholds(json(r#"{"kind": "vegas"}"#)), (2.0, 4.0, 1.0));
        assert_eq!(thresholds(json(r#"{"form": "linux", "kind": "vegas"}"#)), (2.0, 4.0, 1.0));
        assert_eq!(thresholds(json(r#"{"kind": "vegas", "form": "paper"}"#)), (1.0, 3.0, 1.0));
        let late = json(r#"{"alpha": 2, "kind": "vegas", "form": "paper"}"#);
        assert_eq!(thresholds(late), (2.0, 3.0, 1.0));
    }
}
