//! What a session does with its connections, and asks of them.

/// The connections of a session, by slot.
pub trait Connections {
    /// A new connection is opened, over which `bytes` are transferred. The one before is closed. Who opens
    /// it, and the size of requests, is the same for all connections of a session.
    fn open(&mut self, slot: usize, bytes: u64);

    /// The receiver asks for `bytes` more over the open connection. It has received all before them.
    fn request(&mut self, slot: usize, bytes: u64);

    /// Payload bytes that have arrived without a gap since the connection was opened, and whether any have
    /// arrived.
    fn received(&self, slot: usize) -> (u64, bool);

    /// Whether the sender knows that all has arrived.
    fn is_done(&self, slot: usize) -> bool;

    /// Segments sent again, and expiries of either end's retransmission timer, since the connection was
    /// opened.
    fn repairs(&self, slot: usize) -> [u64; 2];

    /// Nothing new is sent over it. Returns whether something is under way, the end of which will be told.
    fn stop(&mut self, slot: usize) -> bool;
}
