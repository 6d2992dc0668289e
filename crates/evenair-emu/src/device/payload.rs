//! The bytes of packets under way. Buffers return to their pool when the last handle is dropped, so
//! that a packet that a queue discards needs no further care, and memory is bounded by the queues.

use std::cell::RefCell;
use std::rc::Rc;

/// Buffers, used ones and free ones.
#[derive(Clone, Debug, Default)]
pub struct Pool {
    inner: Rc<RefCell<Inner>>,
}

#[derive(Debug, Default)]
struct Inner {
    free: Vec<Vec<u8>>,
    in_use: usize,
}

/// The bytes of a packet.
#[derive(Debug)]
pub struct Buffer {
    bytes: Vec<u8>,
    pool: Pool,
}

/// What a packet carries through the network.
#[derive(Clone, Debug, Default)]
pub(crate) struct Content {
    /// `None` of a beacon.
    pub(crate) buffer: Option<Rc<Buffer>>,
    /// The place of its flow in the specification, if it is of one.
    pub(crate) flow: Option<usize>,
    /// Whether it goes the way of the flow's data, and not the other way.
    pub(crate) is_data: bool,
}

impl Pool {
    /// A buffer with these bytes.
    pub fn buffer(&self, bytes: &[u8]) -> Buffer {
        let mut inner = self.inner.borrow_mut();
        inner.in_use += 1;
        let mut buffer = inner.free.pop().unwrap_or_default();
        buffer.clear();
        buffer.extend_from_slice(bytes);
        Buffer { bytes: buffer, pool: self.clone() }
    }

    /// Buffers in use.
    pub fn in_use(&self) -> usize {
        self.inner.borrow().in_use
    }
}

impl Buffer {
    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        let mut inner = self.pool.inner.borrow_mut();
        inner.in_use -= 1;
        inner.free.push(std::mem::take(&mut self.bytes));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_are_used_again() {
        let pool = Pool::default();
        let first = Rc::new(pool.buffer(&[1; 1500]));
        let copy = Rc::clone(&first);
        let second = pool.buffer(&[2; 40]);
        drop(first);
        assert_eq!((pool.in_use(), copy.bytes()), (2, &[1; 1500][..]));
        drop(copy);
        assert_eq!(pool.in_use(), 1);
        let third = pool.buffer(&[3]);
        assert_eq!((third.bytes(), third.bytes.capacity() >= 1500), (&[3][..], true));
        assert_eq!(second.bytes(), [2; 40]);
        drop((second, third));
        assert_eq!((pool.in_use(), pool.inner.borrow().free.len()), (0, 2));
    }
}
