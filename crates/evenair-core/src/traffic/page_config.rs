//! The configuration of pages. Each form has its own defaults.

use super::{Distribution, distribution_of_sizes, distribution_of_times};
use crate::component::{
    Limit, Parameter, Parameters, Value, configuration, integer, limit, named, names,
};

configuration! {
    /// Parameters of a user of pages.
    pub struct PageConfig {
        name: "page",
        summary: "a user who thinks, loads a page of several objects over several connections, \
                  thinks again, ... (TCP)",
        source: "browsers; the built-in pages: Hoiland-Jorgensen et al. 2017",
    }
    /// The form, and the objects whose defaults it sets.
    settings: PageObjects = PageObjects::of(PageForm::Small);
    /// connections at the same time; 6 is what Chromium and Firefox open to a host
    connections: u64 = 6, integer(1..=100);
    /// whether a connection that has brought an object brings further ones, or each object has a new one
    keeping: Keeping = Keeping::Kept, names();
    /// payload of the request for an object, bytes, up to a segment
    request: u64 = 350, integer(1..=65_495);
    /// time before the first page, and from the end of one to the next
    think: Distribution = Distribution::exponential(10.0), distribution_of_times();
    /// pages after which the user stops
    pages: Limit = Limit::Unlimited, limit(1_000_000);
}

named! {
    /// Which page.
    pub enum PageForm {
        /// 3 objects, 56 KB.
        #[default]
        Small => "small",
        /// 110 objects, 3 MB.
        Large => "large",
    }
    planned []
}

named! {
    /// What happens to a connection that has brought an object.
    pub enum Keeping {
        /// It brings further ones.
        #[default]
        Kept => "kept",
        /// It is closed.
        New => "new",
    }
    planned []
}

configuration! {
    /// The form alone.
    pub group PageKey;
    /// the page that sets the defaults of the following keys: "small", 3 objects of 56 KB together, or "large", 110
    /// of 3 MB together
    form: PageForm = PageForm::Small, names();
}

configuration! {
    /// What a page consists of.
    pub group Objects;
    /// objects of a page; 110 in the form "large"
    objects: u64 = 3, integer(1..=10_000);
    /// payload of an object, bytes; 3 MB / 110 in the form "large"
    size: Distribution = Distribution::constant(18_667.0), distribution_of_sizes();
    /// levels: the first object is alone in the first, the others are spread evenly over the rest, and those of a level
    /// are asked for when all of the level before have arrived; with 1 all are known at once. There is an object in each
    depth: u64 = 2, integer(1..=100);
}

/// The form and its objects. Assigning the form sets the objects.
#[derive(Clone, Debug, PartialEq)]
pub struct PageObjects {
    /// Which page.
    pub form: PageForm,
    /// Its objects.
    pub page: Objects,
}

impl PageObjects {
    /// The page of this form. What is known of them is the number of objects and their sum; that they are equal, and
    /// that one of them names all others, is assumed.
    pub fn of(form: PageForm) -> Self {
        let (objects, bytes) = match form {
            PageForm::Small => (3, 56e3_f64),
            PageForm::Large => (110, 3e6),
        };
        let size = Distribution::constant((bytes / objects as f64).round());
        Self { form, page: Objects { objects, size, depth: 2 } }
    }
}

impl Default for PageObjects {
    fn default() -> Self {
        Self::of(PageForm::default())
    }
}

impl Parameters for PageObjects {
    fn visit(&self, visitor: &mut dyn FnMut(&'static Parameter, Value)) {
        PageKey { form: self.form }.visit(visitor);
        self.page.visit(visitor);
    }

    fn assign(&mut self, name: &str, value: Value) -> bool {
        let mut key = PageKey { form: self.form };
        if !key.assign(name, value.clone()) {
            return self.page.assign(name, value);
        }
        *self = Self::of(key.form);
        true
    }
}
