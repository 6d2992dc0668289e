//! Bytes to symbols without a division.

/// The usable bytes of a symbol.
#[derive(Clone, Copy, Debug)]
pub(in crate::medium::wimax) struct SymbolSize {
    bytes: u32,
    /// 2^32 / `bytes`, rounded up.
    reciprocal: u64,
}

impl SymbolSize {
    pub(in crate::medium::wimax) const fn new(bytes: u32) -> Self {
        Self { bytes, reciprocal: (1_u64 << 32).div_ceil(bytes as u64) }
    }

    pub(in crate::medium::wimax) const fn bytes(self) -> u32 {
        self.bytes
    }

    /// Symbols that this many bytes need. Exact below 2^24 bytes: the product is too large by less
    /// than bytes of the symbol times their number, which is below 2^32.
    pub(in crate::medium::wimax) const fn symbols(self, bytes: u32) -> u32 {
        debug_assert!(bytes < 1 << 24, "more than a frame holds");
        (((bytes + self.bytes - 1) as u64 * self.reciprocal) >> 32) as u32
    }

    /// Symbols that this many bytes need, at most `most`.
    pub(in crate::medium::wimax) fn symbols_up_to(self, bytes: u64, most: u32) -> u32 {
        if bytes >= u64::from(most) * u64::from(self.bytes) {
            most
        } else {
            self.symbols(bytes as u32)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::MAX_BYTES_PER_SYMBOL;
    use super::*;

    #[test]
    fn symbols_are_those_of_a_division() {
        for size in 1..=MAX_BYTES_PER_SYMBOL {
            let symbol = SymbolSize::new(size);
            for bytes in (0..3000).chain((1 << 24) - 3000..1 << 24) {
                assert_eq!(symbol.symbols(bytes), bytes.div_ceil(size), "{bytes} of {size}");
            }
        }
    }

    /// By hand: 321 bytes need 3 symbols of 107, 322 a fourth.
    #[test]
    fn symbols_are_bounded() {
        let symbol = SymbolSize::new(107);
        assert_eq!([320, 321, 322].map(|bytes| symbol.symbols_up_to(bytes, 9)), [3, 3, 4]);
        assert_eq!([320, 321, 1 << 40].map(|bytes| symbol.symbols_up_to(bytes, 3)), [3; 3]);
        assert_eq!(symbol.symbols_up_to(0, 9), 0);
    }
}
