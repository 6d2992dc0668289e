//! Parameters that are components themselves: the loss signal of a limiter.

use super::bounds::tables;
use super::composite::{Composite, CompositeType};
use super::message::quoted_list;
use super::registry::Registry;
use super::serialize::schema;
use super::table::read;

impl CompositeType {
    /// The components of a registry. The last of them is the example in error messages.
    pub const fn component<R: Registry + Composite>() -> Self {
        Self {
            accepted: || {
                let names = R::names();
                let example = names[names.len() - 1];
                format!(
                    "one of {}, or a table such as {{ kind = {example:?} }}",
                    quoted_list(&names)
                )
            },
            read: |from, _, _| Ok(Box::new(read::<R, _>(from)?)),
            shown: |value| serde_json::json!(value),
            schema: |generator| schema::<R>(generator, false).to_value(),
            at_bounds: tables::<R>,
        }
    }
}
