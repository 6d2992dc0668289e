//! CSV files: a packet in each line.

use super::packets::{Packets, TracePacket, direction, field, quoted, size, time};

/// What is in the columns, in the order that holds without a heading.
const COLUMNS: [&str; 3] = ["time", "size", "direction"];

/// Reads the packets. Errors begin with the number of the line.
///
/// The first line may be a heading, which names the columns in any order; other columns are passed over.
pub(super) fn read(text: &str) -> Result<Packets, String> {
    let lines = text.trim_start_matches('\u{feff}').lines().map(str::trim).zip(1..);
    let mut lines = lines.filter(|(line, _)| !line.is_empty()).peekable();
    let mut places = [Some(0), Some(1), Some(2)];
    if let Some((line, number)) = lines.next_if(|(line, _)| is_heading(line)) {
        let names: Vec<&str> = fields(line).collect();
        places = COLUMNS.map(|column| names.iter().position(|name| *name == column));
        if let Some(missing) = places[..2].iter().position(Option::is_none) {
            let (line, missing) = (quoted(line), COLUMNS[missing]);
            return Err(format!(
                "line {number}: got {line} without a column \"{missing}\"; accepted: \
                 time, size and perhaps direction"
            ));
        }
    }
    let (mut packets, mut numbers) = (Vec::new(), Vec::new());
    for (line, number) in lines {
        let packet = packet(line, places).map_err(|error| format!("line {number}: {error}"))?;
        packets.push(packet);
        numbers.push(number);
    }
    Packets::new(packets, |place| format!("line {}", numbers[place]))
}

fn packet(line: &str, places: [Option<usize>; 3]) -> Result<TracePacket, String> {
    let values: Vec<&str> = fields(line).collect();
    let value = |column: usize| places[column].and_then(|place| values.get(place).copied());
    let (Some(at), Some(bytes)) = (value(0), value(1)) else {
        return Err(format!("got {}; accepted: a time and a size", quoted(line)));
    };
    let named = value(2).filter(|name| !name.is_empty());
    let direction = named.map(direction).transpose()?;
    Ok(TracePacket { at: time(&field(at))?, bytes: size(&field(bytes))?, direction })
}

fn fields(line: &str) -> impl Iterator<Item = &str> {
    line.split(',').map(|field| field.trim().trim_matches('"').trim())
}

/// Whether the line starts with a word that is no number, as `nan` and `inf` are.
fn is_heading(line: &str) -> bool {
    let first = fields(line).next().unwrap_or_default();
    first.starts_with(char::is_alphabetic) && first.parse::<f64>().is_err()
}
