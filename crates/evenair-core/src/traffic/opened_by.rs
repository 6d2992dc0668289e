//! Who opens connections.

use crate::component::named;

named! {
    /// The end of a flow that opens its connections.
    pub enum OpenedBy {
        /// The end that receives the file.
        #[default]
        Receiver => "receiver",
        /// The end that sends the file.
        Sender => "sender",
    }
    planned []
}
