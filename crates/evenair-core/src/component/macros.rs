//! The macros that declare components, named values and registries.

/// Declares the configuration of a component, or a group of parameters that components share.
///
/// ```
/// use evenair_core::component::{Configuration, integer, number};
///
/// evenair_core::configuration! {
///     /// Parameters of an example.
///     pub struct ExampleConfig {
///         name: "example",
///         summary: "drops packets at random between two thresholds",
///         source: "nowhere",
///         ordered: [min <= max],
///     }
///     /// below this backlog nothing is dropped, packets
///     min: u64 = 5, integer(1..=1000);
///     /// above this backlog everything is dropped, packets
///     max: u64 = 15, integer(1..=1000);
///     /// the drop probability at `max`
///     share: f64 = 0.1, number(0.0..=1.0);
/// }
/// assert_eq!(ExampleConfig::default().max, 15);
/// assert_eq!(ExampleConfig::COMPONENT.name, "example");
/// ```
///
/// An entry is `/// meaning`, then `name: type = default, bounds;`. The functions for bounds are in
/// [`component`](crate::component): `integer`, `number`, `probability`, `positive`, `limit`,
/// `switch`, `names`, `distribution_of_times`, `distribution_of_sizes`, `rate_steps`; `optional` makes of any of
/// them that of a parameter that may be absent, an `Option`. An entry without bounds is
/// a group: a struct declared by the same macro as `group NAME`, whose parameters are listed in its
/// place. `#[derive(Copy)]` may stand before `pub group`. `ordered` may be left out; the parameters of a group are written
/// `group.name` there. `aliases: ["other name"]` before it are further names that are read.
#[macro_export]
macro_rules! configuration {
    (
        $(#[doc = $about:literal])+
        pub struct $config:ident {
            name: $name:literal,
            summary: $summary:expr,
            source: $source:expr,
            $(aliases: [$($alias:literal),+ $(,)?],)?
            $(ordered: [$($($low:ident).+ <= $($high:ident).+),+ $(,)?],)?
        }
        $($entries:tt)*
    ) => {
        $crate::configuration! {
            $(#[doc = $about])+
            pub group $config;
            $($entries)*
        }

        impl $crate::component::Configuration for $config {
            const COMPONENT: &'static $crate::component::Component =
                &$crate::component::Component {
                    name: $name,
                    aliases: &[$($($alias),+)?],
                    summary: $summary,
                    source: $source,
                    ordered: &[$($((
                        $crate::component::last_of(&[$(stringify!($low)),+]),
                        $crate::component::last_of(&[$(stringify!($high)),+]),
                    )),+)?],
                };
        }

        // Each name in `ordered` must be a field.
        $(const _: fn(&$config) = |config| {
            $(let _ = (&config.$($low).+, &config.$($high).+);)+
        };)?
    };
    (
        $(#[doc = $about:literal])+
        $(#[derive($derived:ident)])?
        pub group $config:ident;
        $(
            $(#[doc = $meaning:literal])+
            $field:ident: $type:ty = $default:expr $(, $bounds:expr)?;
        )*
    ) => {
        $(#[doc = $about])+
        #[derive(Clone, Debug, PartialEq $(, $derived)?)]
        pub struct $config {
            $($(#[doc = $meaning])+ pub $field: $type,)*
        }

        impl Default for $config {
            fn default() -> Self {
                Self { $($field: $default,)* }
            }
        }

        impl $crate::component::Parameters for $config {
            fn visit(
                &self,
                _visitor: &mut dyn FnMut(
                    &'static $crate::component::Parameter,
                    $crate::component::Value,
                ),
            ) {
                $($crate::visit_entry!(
                    (&self.$field, $type, _visitor),
                    ($field, concat!($($meaning),+)),
                    ($($bounds)?)
                );)*
            }

            fn assign(&mut self, _name: &str, _value: $crate::component::Value) -> bool {
                $($crate::assign_entry!(
                    (&mut self.$field, $type, _name, _value),
                    $field,
                    ($($bounds)?)
                );)*
                false
            }
        }
    };
}

/// Part of [`configuration!`].
#[doc(hidden)]
#[macro_export]
macro_rules! visit_entry {
    (($value:expr, $type:ty, $visitor:expr), ($field:ident, $meaning:expr), ()) => {
        $crate::component::Parameters::visit($value, $visitor);
    };
    (($value:expr, $type:ty, $visitor:expr), ($field:ident, $meaning:expr), ($bounds:expr)) => {{
        const BOUNDS: $crate::component::Bounds<$type> = $bounds;
        static PARAMETER: $crate::component::Parameter = $crate::component::Parameter {
            name: stringify!($field),
            parameter_type: BOUNDS.parameter_type(),
            meaning: $meaning.trim_ascii(),
            absent: BOUNDS.absent(),
        };
        $visitor(&PARAMETER, $crate::component::FieldType::to_value($value));
    }};
}

/// Part of [`configuration!`].
#[doc(hidden)]
#[macro_export]
macro_rules! assign_entry {
    (($place:expr, $type:ty, $name:expr, $value:expr), $field:ident, ()) => {
        if $crate::component::Parameters::assign($place, $name, $value.clone()) {
            return true;
        }
    };
    (($place:expr, $type:ty, $name:expr, $value:expr), $field:ident, ($bounds:expr)) => {
        if $name == stringify!($field) {
            let value = <$type as $crate::component::FieldType>::from_value($value);
            let assigned = value.is_some();
            if let Some(value) = value {
                *$place = value;
            }
            return assigned;
        }
    };
}

/// Declares an enum whose variants are written as the given strings, in configuration files and
/// error messages. One variant has `#[default]`. `planned` lists names of what is not
/// available yet.
#[macro_export]
macro_rules! named {
    (
        $(#[$meta:meta])*
        pub enum $name:ident {
            $($(#[$variant_meta:meta])* $variant:ident => $text:literal,)+
        }
        planned [$($planned:literal),*]
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
        pub enum $name {
            $($(#[$variant_meta])* $variant,)+
        }

        impl $name {
            /// Every name, in the order of declaration.
            pub const NAMES: &'static [&'static str] = &[$($text),+];

            /// The name in a configuration file.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)+
                }
            }

            /// The value of that name.
            pub fn from_name(name: &str) -> Option<Self> {
                match name {
                    $($text => Some(Self::$variant),)+
                    _ => None,
                }
            }
        }

        impl $crate::component::NamedValue for $name {
            const NAMES: &'static [&'static str] = Self::NAMES;

            fn name(self) -> &'static str {
                self.name()
            }

            fn from_name(name: &str) -> Option<Self> {
                Self::from_name(name)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }

        impl $crate::component::serde::Serialize for $name {
            fn serialize<S: $crate::component::serde::Serializer>(
                &self,
                serializer: S,
            ) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.name())
            }
        }

        impl<'de> $crate::component::serde::Deserialize<'de> for $name {
            fn deserialize<D: $crate::component::serde::Deserializer<'de>>(
                deserializer: D,
            ) -> Result<Self, D::Error> {
                use $crate::component::{message, serde};
                struct ByName;
                impl serde::de::Visitor<'_> for ByName {
                    type Value = $name;

                    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        f.write_str(&message::quoted_list($name::NAMES))
                    }

                    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<$name, E> {
                        $name::from_name(text).ok_or_else(|| {
                            E::custom(message::unknown_name(text, $name::NAMES, &[$($planned),*]))
                        })
                    }
                }
                deserializer.deserialize_any(ByName)
            }
        }

        impl $crate::component::schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(
                _: &mut $crate::component::schemars::SchemaGenerator,
            ) -> $crate::component::schemars::Schema {
                $crate::component::schemars::json_schema!({
                    "type": "string", "enum": $name::NAMES
                })
            }
        }
    };
}

/// Declares a registry: an enum with the configuration of a component in each variant.
///
/// `kind`, `noun` and `planned` are the constants of
/// [`Registry`](crate::component::Registry), and `schema` is the name of the JSON Schema; without
/// it the enum is neither serialised nor deserialised. With `prototypes Variant(Type) in SET` at the end, the
/// registry has a further variant for the components of that [`Prototypes`](crate::component::Prototypes).
#[macro_export]
macro_rules! registry {
    (
        $(#[$meta:meta])*
        pub enum $registry:ident {
            $($variant:ident($config:ty),)+
        }
        kind $kind:literal, noun $noun:literal, $(schema $schema:literal,)? planned $planned:expr
        $(, prototypes $open:ident($prototype:ty) in $set:path)?
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq)]
        pub enum $registry {
            $(#[doc = concat!("A [`", stringify!($config), "`].")] $variant($config),)+
            $(#[doc = "One that is registered at run time."] $open($prototype),)?
        }

        impl $crate::component::Parameters for $registry {
            fn visit(
                &self,
                visitor: &mut dyn FnMut(
                    &'static $crate::component::Parameter,
                    $crate::component::Value,
                ),
            ) {
                match self {
                    $(Self::$variant(config) => config.visit(visitor),)+
                    $(Self::$open(config) => <$prototype>::visit(config, visitor),)?
                }
            }

            fn assign(&mut self, name: &str, value: $crate::component::Value) -> bool {
                match self {
                    $(Self::$variant(config) => config.assign(name, value),)+
                    $(Self::$open(config) => <$prototype>::assign(config, name, value),)?
                }
            }
        }

        impl $crate::component::Registry for $registry {
            const KIND: &'static str = $kind;
            const NOUN: &'static str = $noun;
            const PLANNED: &'static [&'static str] = $planned;

            fn all() -> Vec<Self> {
                let built_in = [$(Self::$variant(<$config>::default()),)+].into_iter();
                $(let built_in = built_in.chain($set.all().into_iter().map(Self::$open));)?
                built_in.collect()
            }

            fn component(&self) -> &'static $crate::component::Component {
                match self {
                    $(Self::$variant(_) => {
                        <$config as $crate::component::Configuration>::COMPONENT
                    })+
                    $(Self::$open(config) => <$prototype>::component(config),)?
                }
            }

            fn is_prototype(&self) -> bool {
                match self {
                    $(Self::$variant(_) => false,)+
                    $(Self::$open(_) => true,)?
                }
            }
        }

        $(impl From<$config> for $registry {
            fn from(config: $config) -> Self {
                Self::$variant(config)
            }
        })+

        $crate::registry_methods!($registry);
        $($crate::registry_serde!($registry, $schema);)?
    };
}

/// The name and the default of a type that implements [`Registry`](crate::component::Registry).
#[macro_export]
macro_rules! registry_methods {
    ($registry:ident) => {
        impl $registry {
            /// The component's name.
            pub fn name(&self) -> &'static str {
                $crate::component::Registry::component(self).name
            }

            /// The component called `name`, with its defaults.
            pub fn from_name(name: &str) -> Option<Self> {
                $crate::component::Registry::from_name(name)
            }
        }

        /// The first component, with its defaults.
        impl Default for $registry {
            fn default() -> Self {
                <Self as $crate::component::Registry>::all().swap_remove(0)
            }
        }
    };
}

/// The syntax of a type that implements [`Registry`](crate::component::Registry) in a configuration
/// file.
#[macro_export]
macro_rules! registry_serde {
    ($registry:ident, $schema:literal) => {
        impl $crate::component::serde::Serialize for $registry {
            fn serialize<S: $crate::component::serde::Serializer>(
                &self,
                serializer: S,
            ) -> Result<S::Ok, S::Error> {
                $crate::component::write(serializer, self, None)
            }
        }

        impl<'de> $crate::component::serde::Deserialize<'de> for $registry {
            fn deserialize<D: $crate::component::serde::Deserializer<'de>>(
                deserializer: D,
            ) -> Result<Self, D::Error> {
                $crate::component::read(deserializer)
            }
        }

        impl $crate::component::schemars::JsonSchema for $registry {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                $schema.into()
            }

            fn json_schema(
                generator: &mut $crate::component::schemars::SchemaGenerator,
            ) -> $crate::component::schemars::Schema {
                $crate::component::schema::<Self>(generator, false)
            }
        }
    };
}

/// The syntax of a group whose parameters stand among the keys of another table: as a flattened field
/// it is written and described by serde and schemars, and read by [`Beside`](crate::component::Beside).
#[macro_export]
macro_rules! group_serde {
    ($group:ident) => {
        impl $crate::component::serde::Serialize for $group {
            fn serialize<S: $crate::component::serde::Serializer>(
                &self,
                serializer: S,
            ) -> Result<S::Ok, S::Error> {
                $crate::component::write_group(serializer, self)
            }
        }

        impl $crate::component::schemars::JsonSchema for $group {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($group).into()
            }

            fn json_schema(
                generator: &mut $crate::component::schemars::SchemaGenerator,
            ) -> $crate::component::schemars::Schema {
                $crate::component::group_schema(generator, &Self::default())
            }
        }
    };
}
