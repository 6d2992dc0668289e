//! Every component that a scenario can name, from the registries.

use evenair_core::component::{Parameters as _, Registry as _, describe, list};
use evenair_core::congestion;
use evenair_core::medium::wimax::phy::REGISTRY as MODULATIONS;
use evenair_core::medium::wlan::{AggregationConfig, channel, phy, rate_control};
use evenair_core::medium::{scheduler, wimax};
use evenair_core::tcp::TcpPreset;
use evenair_core::traffic::{Application, Family};
use evenair_core::transport::Config as Transport;
use evenair_core::{control, loss, queue};
use serde_json::Value;

use crate::scenario::tables::flow::DEFAULT_SEGMENT;

/// Every queue discipline, congestion control, preset of TCP's options, PHY, modulation,
/// scheduler, controller, limiter, loss signal, rate control, channel, loss model, application and
/// distribution:
/// `kind`, `name`, `aliases`, `summary`, `source` and `parameters` (each `name`, `default`,
/// `accepts`, `meaning`).
pub fn parts() -> Value {
    let mut parts = list::<queue::Config>();
    parts.extend(list::<congestion::Config>());
    let presets = TcpPreset::NAMES.iter().filter_map(|name| TcpPreset::from_name(name));
    parts.extend(presets.map(|preset| {
        describe("TCP preset", &preset.component(), preset.config(DEFAULT_SEGMENT).values())
    }));
    let datagrams = Transport::all().into_iter().filter(|transport| !transport.is_tcp());
    parts.extend(datagrams.map(|transport| {
        describe("datagram transport", transport.component(), transport.values())
    }));
    parts.extend(phy::REGISTRY.iter().map(|phy| describe("PHY", phy, Vec::new())));
    parts.extend(MODULATIONS.iter().map(|each| describe("modulation", each, Vec::new())));
    parts.extend(list::<scheduler::Config>());
    parts.extend(list::<wimax::scheduler::Config>());
    parts.extend(list::<control::Config>());
    parts.extend(list::<control::limiter::Config>());
    parts.extend(list::<control::limiter::LossSignal>());
    parts.extend(list::<AggregationConfig>());
    parts.extend(list::<rate_control::Config>());
    parts.extend(list::<channel::Config>());
    parts.extend(list::<loss::Config>());
    parts.extend(list::<Application>());
    parts.extend(list::<Family>());
    Value::Array(parts)
}

#[cfg(test)]
mod tests {
    use evenair_core::component::{Configuration as _, Registry, read, write};
    use evenair_core::tcp::TcpConfig;
    use evenair_core::traffic::{PacketTraceConfig, Pattern};
    use serde_json::json;

    use super::*;
    use crate::scenario::resolve;
    use crate::{RunOptions, run};

    /// Runs a scenario with each component of a registry: with its defaults, and with each parameter
    /// at each of its bounds. `document` places the component. Returns the number of documents that
    /// were refused although the parameters of the component are in order.
    fn run_each<R: Registry>(delivers: bool, document: impl Fn(Value) -> Value) -> u32 {
        let mut refused = 0;
        for configuration in R::all() {
            let name = configuration.component().name;
            let mut tables = vec![json!({ "kind": name })];
            for (parameter, _) in configuration.values() {
                let at_bounds = parameter.parameter_type.at_bounds().into_iter();
                tables
                    .extend(at_bounds.map(|value| json!({ "kind": name, parameter.name: value })));
            }
            for table in tables {
                match resolve(document(table.clone()), "test") {
                    Ok(scenario) => {
                        let result = run(&scenario, 1, &RunOptions::default()).unwrap();
                        let goodput = result.aggregate_goodput_bps;
                        assert!(goodput.is_finite() && goodput >= 0.0, "{table}: {goodput}");
                        // At a bound nothing may arrive: a token bucket of one byte passes nothing.
                        let at_bound = table.as_object().is_some_and(|keys| keys.len() > 1);
                        assert!(goodput > 0.0 || !delivers || at_bound, "{table}: nothing arrived");
                    }
                    Err(error) => {
                        assert!(error.message.contains("; accepted: "), "{table}: {error}");
                        let configuration: R = read(&table).unwrap();
                        refused += u32::from(configuration.violation().is_none());
                    }
                }
            }
        }
        refused
    }

    fn with_flow(flow: Value) -> Value {
        json!({ "duration": "0.2 s", "station": [{ "flows": [flow] }] })
    }

    #[test]
    fn every_component_runs_in_a_scenario() {
        let refused = run_each::<queue::Config>(true, |queue| {
            let flows = json!([{ "direction": "up" }, { "direction": "down" }]);
            json!({ "duration": "0.2 s", "cell": { "queue": queue }, "station": [{ "flows": flows }] })
        });
        assert_eq!(refused, 0);
        let refused = run_each::<loss::Config>(false, |error| {
            let flows = json!([{ "direction": "up" }]);
            json!({ "duration": "0.2 s", "station": [{ "error": error, "flows": flows }] })
        });
        assert_eq!(refused, 0);
        let refused = run_each::<rate_control::Config>(true, |rate_control| {
            let flows = json!([{ "direction": "up" }, { "direction": "down" }]);
            let station = json!({ "rate_control": rate_control, "flows": flows });
            json!({ "duration": "0.2 s", "station": [station] })
        });
        assert_eq!(refused, 0);
        let refused = run_each::<channel::Config>(false, |channel| {
            let flows = json!([{ "direction": "up" }]);
            let station = json!({ "channel": channel, "rate_control": "arf", "flows": flows });
            json!({ "duration": "0.2 s", "station": [station] })
        });
        assert_eq!(refused, 0);
        let refused = run_each::<scheduler::Config>(true, |scheduler| {
            let flows = json!([{ "direction": "up" }, { "direction": "down" }]);
            let station = json!({ "flows": flows });
            let depth = if scheduler["kind"] == "fifo" { 0 } else { 2 };
            let cell = json!({ "scheduler": scheduler, "hardware_depth": depth });
            json!({ "duration": "0.2 s", "cell": cell, "station": [station, station] })
        });
        assert_eq!(refused, 0);
        let refused = run_each::<wimax::scheduler::Config>(true, |scheduler| {
            let flows = json!([{ "direction": "up" }, { "direction": "down" }]);
            let cell = json!({ "kind": "wimax", "scheduler": scheduler });
            let station = json!({ "flows": flows });
            json!({ "duration": "0.2 s", "cell": cell, "station": [station, station] })
        });
        assert_eq!(refused, 0);
        let refused = run_each::<control::Config>(true, |controller| {
            let flows = json!([{ "direction": "up" }, { "direction": "down" }]);
            let (cell, station) =
                (json!({ "controller": controller }), json!([{ "flows": flows }]));
            json!({ "duration": "0.5 s", "cell": cell, "station": station })
        });
        assert_eq!(refused, 0);
        // Refused: buckets of a byte and of a nanosecond, 10^9 rounds or refreshes per second, and a
        // lowest rate above the highest one.
        let refused = run_each::<control::limiter::Config>(true, |limiter| {
            let flows = json!([{ "direction": "up" }, { "direction": "down" }]);
            let gateway = json!({ "limiter": limiter });
            json!({ "duration": "0.2 s", "gateway": gateway, "station": [{ "flows": flows }] })
        });
        assert_eq!(refused, 7);
        let refused = run_each::<congestion::Config>(true, |transport| {
            with_flow(json!({ "direction": "up", "transport": transport }))
        });
        assert_eq!(refused, 0);
    }

    /// Of the applications each goes over one transport, and a trace over that which it says. A `request` of the largest
    /// size, of a web user, a page, a stream, arrivals or a trace, does not fit a segment, and neither does a datagram of
    /// the largest size. A trace has an address only with a file, and does not begin anew each nanosecond. A ping has an
    /// interval of at least 1 ms.
    #[test]
    fn every_application_runs_in_a_scenario() {
        let over_tcp = |mut application: Value| {
            let name = application.get("kind").unwrap_or(&application).as_str();
            if name == Some(PacketTraceConfig::COMPONENT.name) {
                if application.is_string() {
                    application = json!({ "kind": application });
                }
                application["sent_as"] = json!("transfers");
                if application.get("packets").is_none() {
                    application["packets"] = json!([[0, 100]]);
                }
            }
            with_flow(json!({ "direction": "up", "application": application }))
        };
        let over_udp = |mut application: Value| {
            let name = application.get("kind").unwrap_or(&application).as_str().map(str::to_owned);
            let pattern = name.and_then(|name| Pattern::from_name(&name)).unwrap();
            if matches!(pattern, Pattern::Trace(_)) && application.get("packets").is_none() {
                application["packets"] = json!([[0, 100]]);
            }
            let flow = json!({ "direction": "up", "application": application });
            let mut document = with_flow(flow);
            document["station"][0]["flows"][0]["transport"] = json!("udp");
            if pattern.has_rate() {
                document["station"][0]["flows"][0]["rate"] = json!("1 Mbps");
            }
            document
        };
        assert_eq!(run_each::<evenair_core::traffic::Stream>(false, over_tcp), 8);
        assert_eq!(run_each::<Pattern>(false, over_udp), 6);
    }

    /// Each option of TCP at each of its bounds, and outside of them.
    #[test]
    fn every_option_of_tcp_runs_in_a_scenario() {
        for (parameter, _) in TcpConfig::default().values() {
            let name = parameter.name;
            let resolved = |value: &Value| {
                let mut flow = json!({ "direction": "up", "window": 65_535, "pacing": true });
                flow[name] = value.clone();
                resolve(with_flow(flow), "test")
            };
            for value in parameter.parameter_type.at_bounds() {
                let scenario = resolved(&value).unwrap_or_else(|error| panic!("{value}: {error}"));
                let result = run(&scenario, 1, &RunOptions::default()).unwrap();
                assert!(result.aggregate_goodput_bps.is_finite(), "{name} = {value}");
            }
            for value in parameter.parameter_type.outside_bounds() {
                let error = resolved(&value).unwrap_err();
                assert_eq!(error.field, format!("station.0.flows.0.{name}"), "{value}");
                let accepted = format!("; accepted: {}", parameter.parameter_type.accepted());
                assert!(error.message.ends_with(&accepted), "{value}: {error}");
            }
        }
    }

    /// A scenario can name every component, and writes it back.
    #[test]
    fn scenarios_know_the_registries() {
        for queue in queue::Config::all() {
            for transport in Transport::all() {
                let udp = !transport.has_feedback();
                let mut document = json!({
                    "cell": { "queue": queue.name() },
                    "station": [{ "flows": [{ "direction": "up", "transport": transport.name() }] }],
                });
                if udp {
                    document["station"][0]["flows"][0]["rate"] = json!("1 Mbps");
                }
                let scenario = resolve(document, "test").unwrap();
                assert_eq!(scenario.cell.queue().discipline, queue);
                assert_eq!(scenario.station[0].flows[0].transport, transport);
            }
        }
        for application in Application::all() {
            let written = write(serde_json::value::Serializer, &application, None).unwrap();
            assert_eq!(serde_json::from_value::<Application>(written).unwrap(), application);
        }
    }
}
