//! Basic Encoding Rules (ITU-T X.690), as far as SNMP messages need them. What is read comes from
//! the network: a reader returns `None` for all that is not as it should be.

/// Tags of X.690 section 8 and RFC 2578 section 7.1.
pub const INTEGER: u8 = 0x02;
pub const OCTET_STRING: u8 = 0x04;
pub const OBJECT_IDENTIFIER: u8 = 0x06;
pub const SEQUENCE: u8 = 0x30;
pub const COUNTER32: u8 = 0x41;
pub const TIME_TICKS: u8 = 0x43;
pub const COUNTER64: u8 = 0x46;

/// What is left to read.
#[derive(Clone, Copy, Debug)]
pub struct Reader<'a>(pub &'a [u8]);

impl<'a> Reader<'a> {
    /// The next element: its tag and its contents.
    pub fn element(&mut self) -> Option<(u8, &'a [u8])> {
        let (&tag, rest) = self.0.split_first()?;
        let (&first, mut rest) = rest.split_first()?;
        let mut length = usize::from(first);
        if first >= 0x80 {
            // The long form; no datagram needs more than 4 bytes. The indefinite form has none.
            let count = usize::from(first & 0x7f);
            if !(1..=4).contains(&count) || rest.len() < count {
                return None;
            }
            let (digits, after) = rest.split_at(count);
            length = digits.iter().fold(0, |sum, &digit| sum << 8 | usize::from(digit));
            rest = after;
        }
        if rest.len() < length {
            return None;
        }
        let (contents, rest) = rest.split_at(length);
        self.0 = rest;
        Some((tag, contents))
    }

    /// The contents of the next element, which has this tag.
    pub fn expect(&mut self, tag: u8) -> Option<&'a [u8]> {
        self.element().filter(|(found, _)| *found == tag).map(|(_, contents)| contents)
    }

    /// The next element as an integer of at most 32 bits.
    pub fn integer(&mut self) -> Option<i32> {
        let contents = self.expect(INTEGER)?;
        let (&first, rest) = contents.split_first()?;
        if rest.len() > 3 {
            return None;
        }
        let start = i32::from(first.cast_signed());
        Some(rest.iter().fold(start, |sum, &digit| sum << 8 | i32::from(digit)))
    }
}

/// The sub-identifiers of an object identifier.
pub fn object_identifier(contents: &[u8]) -> Option<Vec<u32>> {
    let mut numbers = Vec::new();
    let mut number: u64 = 0;
    for &byte in contents {
        number = number << 7 | u64::from(byte & 0x7f);
        if number > u64::from(u32::MAX) {
            return None;
        }
        if byte & 0x80 == 0 {
            if numbers.is_empty() {
                // The first two are in one, the first of them at most 2 (X.690 section 8.19.4).
                let first = (number / 40).min(2);
                numbers.extend([first as u32, (number - 40 * first) as u32]);
            } else {
                numbers.push(number as u32);
            }
            number = 0;
        }
    }
    (!numbers.is_empty() && contents.last().is_some_and(|last| last & 0x80 == 0)).then_some(numbers)
}

/// Tag, length, contents.
pub fn element(tag: u8, contents: &[u8]) -> Vec<u8> {
    let length = contents.len();
    let mut bytes = vec![tag];
    match length {
        0..128 => bytes.push(length as u8),
        _ => {
            let digits = length.to_be_bytes();
            let skip = digits.iter().take_while(|&&digit| digit == 0).count();
            bytes.push(0x80 | (digits.len() - skip) as u8);
            bytes.extend(&digits[skip..]);
        }
    }
    bytes.extend(contents);
    bytes
}

/// A number that is not negative, of any type of number.
pub fn number(tag: u8, value: u64) -> Vec<u8> {
    let digits = value.to_be_bytes();
    let skip = digits.iter().take(7).take_while(|&&digit| digit == 0).count();
    // A set sign bit would make it negative.
    let sign: &[u8] = if digits[skip] & 0x80 != 0 { &[0] } else { &[] };
    element(tag, &[sign, &digits[skip..]].concat())
}

/// An object identifier of at least two sub-identifiers.
pub fn identifier(numbers: &[u32]) -> Vec<u8> {
    let mut contents = Vec::new();
    let first = u64::from(numbers[0]) * 40 + u64::from(numbers[1]);
    for number in std::iter::once(first).chain(numbers[2..].iter().map(|&n| u64::from(n))) {
        let septets = (1..10).find(|septets| number >> (7 * septets) == 0).unwrap_or(10);
        for place in (0..septets).rev() {
            let more = if place > 0 { 0x80 } else { 0 };
            contents.push((number >> (7 * place)) as u8 & 0x7f | more);
        }
    }
    element(OBJECT_IDENTIFIER, &contents)
}
