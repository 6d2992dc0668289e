//! Error messages for people: "got ..., accepted ...", "did you mean".

/// Where a name leads that is known, but not to this program.
const NOT_MODELLED: &str =
    "which is not modelled: see \"What is not modelled\", docs/not-modelled.md";

/// Keys that people look for, of what is not modelled.
const KEYS_NOT_MODELLED: [&str; 16] = [
    "beamforming",
    "capture",
    "encryption",
    "fading",
    "fragmentation",
    "hidden",
    "mobility",
    "mu_mimo",
    "nagle",
    "ofdma",
    "position",
    "power_save",
    "propagation",
    "roaming",
    "spatial_reuse",
    "tx_power",
];

/// `"a", "b"`: names that are accepted.
pub fn quoted_list(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("{name:?}")).collect();
    quoted.join(", ")
}

/// The message for a name that is none of `names`. `planned` are names of what is not modelled.
pub fn unknown_name(got: &str, names: &[&str], planned: &[&str]) -> String {
    let accepted = quoted_list(names);
    let got_shown = shown(got);
    if planned.contains(&got.to_lowercase().as_str()) {
        return format!("got {got_shown}, {NOT_MODELLED}; accepted: {accepted}");
    }
    match nearest(got, names) {
        Some(near) => format!("got {got_shown}; did you mean {near:?}? accepted: {accepted}"),
        None => format!("got {got_shown}; accepted: {accepted}"),
    }
}

/// The message for a key that is none of `keys`.
pub fn unknown_key(key: &str, keys: &[&str]) -> String {
    let (shown, accepted) = (clipped(key, 60), keys.join(", "));
    if KEYS_NOT_MODELLED.contains(&key) {
        return format!("unknown key `{shown}`, {NOT_MODELLED}; accepted: {accepted}");
    }
    let hint = nearest(key, keys).map_or(String::new(), |near| format!("did you mean `{near}`? "));
    format!("unknown key `{shown}`; {hint}accepted: {accepted}")
}

/// The name that `got` is most likely meant to be: the nearest one, if it is near and no other is as
/// near.
///
/// The distance is the number of characters that are missing, too many, wrong or exchanged with
/// their neighbour; case does not count. It is at most a third of the characters, rounded, and at
/// most three. Two of at most five characters are much: then the first one must be the same. A name that begins with `got` is at distance 1, if `got` has three characters.
pub fn nearest<'a>(got: &str, names: &[&'a str]) -> Option<&'a str> {
    // The comparison takes quadratic time, and a long text is no misspelt name.
    if got.len() > 64 {
        return None;
    }
    let folded = got.to_lowercase();
    let length = folded.chars().count();
    // What has to be near, then what decides between names that are.
    let distance = |name: &str| {
        let name = name.to_lowercase();
        let edits = strsim::osa_distance(&folded, &name);
        let distance = if length >= 3 && name.starts_with(&folded) { edits.min(1) } else { edits };
        let longest = length.max(name.chars().count());
        let begins_alike = folded.chars().next() == name.chars().next();
        let near =
            distance <= ((longest + 1) / 3).min(3) && (distance < 2 || longest > 5 || begins_alike);
        near.then_some((distance, edits))
    };
    let mut near: Vec<((usize, usize), &str)> =
        names.iter().filter_map(|&name| Some((distance(name)?, name))).collect();
    near.sort_by_key(|&(distance, _)| distance);
    match near[..] {
        [(first, _), (second, _), ..] if first == second => None,
        [(_, name), ..] => Some(name),
        [] => None,
    }
}

/// A text from outside as an error message shows it: quoted, escaped and cut after 60 characters.
pub fn shown(text: &str) -> String {
    const LONGEST: usize = 60;
    if text.chars().count() <= LONGEST {
        return format!("{text:?}");
    }
    let head: String = text.chars().take(LONGEST).collect();
    format!("{head:?}...")
}

/// A JSON value from outside as an error message shows it.
pub fn shown_value(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::String(text) => shown(text),
        serde_json::Value::Array(_) => "a list".to_owned(),
        serde_json::Value::Object(_) => "a table".to_owned(),
        plain => plain.to_string(),
    }
}

/// A path in quotes. The end of a path identifies the file, so that longer ones than other texts are shown in full.
pub fn shown_path(path: &str) -> String {
    if path.chars().count() <= 200 { format!("{path:?}") } else { shown(path) }
}

/// The error message of a deserializer in the form of this module. `key` is the last key on the
/// path to the error.
pub fn readable(message: &str, key: &str) -> String {
    if let Some(expected) = message.strip_prefix("unknown field ") {
        let expected = expected.strip_prefix(&format!("`{key}`")).unwrap_or(expected);
        let accepted: Vec<&str> = expected.split('`').skip(1).step_by(2).collect();
        return unknown_key(key, &accepted);
    }
    let wrong =
        message.strip_prefix("invalid type: ").or_else(|| message.strip_prefix("invalid value: "));
    wrong.map_or_else(|| message.to_owned(), wrong_value)
}

/// `rest` is serde's: ``integer `0`, expected a number``.
fn wrong_value(rest: &str) -> String {
    let (got, expected) = rest.rsplit_once(", expected ").unwrap_or((rest, "another value"));
    let got = if let Some(text) = got.strip_prefix("string ") {
        // Already quoted and escaped by serde.
        clipped(text, 80)
    } else if let Some((_, value)) = got.split_once('`') {
        value.trim_end_matches('`').to_owned()
    } else {
        match got {
            "map" => "a table".to_owned(),
            "sequence" => "a list".to_owned(),
            "null" | "unit value" => "nothing".to_owned(),
            other => other.to_owned(),
        }
    };
    let expected = match expected {
        "a boolean" => "true or false",
        "a sequence" => "a list",
        "a string" => "a text in quotes",
        struct_name if struct_name.starts_with("struct ") => "a table of keys and values",
        other => other,
    };
    format!("got {got}; accepted: {expected}")
}

/// The first `longest` characters.
pub fn clipped(text: &str, longest: usize) -> String {
    if text.chars().count() <= longest {
        return text.to_owned();
    }
    let head: String = text.chars().take(longest).collect();
    format!("{head}...")
}

/// The text with line breaks and other control characters escaped.
pub fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') {
            line.extend(c.escape_default());
        } else {
            line.push(c);
        }
    }
    line
}
