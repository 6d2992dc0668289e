//! Values from the bytes that a target gets.

/// Takes values from the beginning of bytes; 0 after their end.
pub struct Bytes<'a>(pub &'a [u8]);

impl Bytes<'_> {
    pub fn take<const N: usize>(&mut self) -> [u8; N] {
        let (taken, rest) = self.0.split_at(N.min(self.0.len()));
        self.0 = rest;
        let mut bytes = [0; N];
        bytes[..taken.len()].copy_from_slice(taken);
        bytes
    }

    pub fn u8(&mut self) -> u8 {
        self.take::<1>()[0]
    }

    pub fn u16(&mut self) -> u16 {
        u16::from_le_bytes(self.take())
    }

    /// A number of up to 63 bits, of which the first byte says how many are dropped.
    pub fn u63(&mut self) -> u64 {
        let shift = 1 + u32::from(self.u8() % 63);
        u64::from_le_bytes(self.take()) >> shift
    }
}
