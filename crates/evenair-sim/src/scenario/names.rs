//! Values that are chosen by name: the macro that makes such an enum, and what errors say of names.

use serde::de::Error as _;
use serde::{Deserialize as _, Deserializer};

/// Makes an enum whose variants are written as the given strings, in TOML, JSON and errors.
///
/// `planned` lists names that the interface promises and that are not available yet.
macro_rules! named {
    (
        $(#[$meta:meta])*
        pub enum $name:ident {
            $($(#[$variant_meta:meta])* $variant:ident => $text:literal,)+
        }
        planned [$($planned:literal),*]
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
        pub enum $name {
            $($(#[$variant_meta])* $variant,)+
        }

        impl $name {
            /// Every name, in the order of declaration.
            pub const NAMES: &'static [&'static str] = &[$($text),+];

            /// The name as a scenario writes it.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)+
                }
            }

            /// The value of that name.
            pub fn from_name(name: &str) -> Option<Self> {
                match name {
                    $($text => Some(Self::$variant),)+
                    _ => None,
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.name())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct ByName;
                impl serde::de::Visitor<'_> for ByName {
                    type Value = $name;

                    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        f.write_str(&$crate::scenario::names::quoted_list($name::NAMES))
                    }

                    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<$name, E> {
                        $name::from_name(text).ok_or_else(|| {
                            E::custom($crate::scenario::names::unknown_name(
                                text,
                                $name::NAMES,
                                &[$($planned),*],
                            ))
                        })
                    }
                }
                deserializer.deserialize_any(ByName)
            }
        }

        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({ "type": "string", "enum": $name::NAMES })
            }
        }
    };
}
pub(super) use named;

/// `"a", "b"`: what the error messages call accepted.
pub(super) fn quoted_list(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("{name:?}")).collect();
    quoted.join(", ")
}

/// The message for a name that is none of `names`.
pub(super) fn unknown_name(got: &str, names: &[&str], planned: &[&str]) -> String {
    let accepted = quoted_list(names);
    let got_shown = shown(got);
    if planned.contains(&got) {
        return format!("got {got_shown}, which is not available yet; accepted: {accepted}");
    }
    match nearest(got, names) {
        Some(near) => format!("got {got_shown}; did you mean {near:?}? accepted: {accepted}"),
        None => format!("got {got_shown}; accepted: {accepted}"),
    }
}

/// Reads the names of two nodes.
pub(super) fn pair<'de, D: Deserializer<'de>>(deserializer: D) -> Result<[String; 2], D::Error> {
    const ACCEPTED: &str = "two names of nodes such as [\"server\", \"ap\"]";
    let value = serde_json::Value::deserialize(deserializer)?;
    let refuse = |got: String| D::Error::custom(format!("got {got}; accepted: {ACCEPTED}"));
    let serde_json::Value::Array(items) = &value else { return Err(refuse(shown_value(&value))) };
    let names: Option<Vec<String>> =
        items.iter().map(|item| item.as_str().map(str::to_owned)).collect();
    match names.map(<[String; 2]>::try_from) {
        Some(Ok(pair)) if pair.iter().all(|name| !name.trim().is_empty()) => Ok(pair),
        _ => Err(refuse(shown_value(&value))),
    }
}

fn shown_value(value: &serde_json::Value) -> String {
    let text = value.to_string();
    if text.chars().count() <= 60 { text } else { "a longer value".to_owned() }
}

/// The one of `names` that `got` was probably meant to be.
pub(super) fn nearest<'a>(got: &str, names: &[&'a str]) -> Option<&'a str> {
    const ALIKE: f64 = 0.7;
    // Nobody mistypes a short name into a long text; and the measure takes quadratic time.
    if got.len() > 64 {
        return None;
    }
    let folded = got.to_lowercase();
    names
        .iter()
        .map(|&name| (strsim::jaro_winkler(&folded, &name.to_lowercase()), name))
        .filter(|&(score, _)| score >= ALIKE)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, name)| name)
}

/// A text from outside as an error message shows it: quoted, escaped and not too long.
pub(super) fn shown(text: &str) -> String {
    const LONGEST: usize = 60;
    if text.chars().count() <= LONGEST {
        return format!("{text:?}");
    }
    let head: String = text.chars().take(LONGEST).collect();
    format!("{head:?}...")
}
