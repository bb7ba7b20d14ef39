//! Binary layout of frames, little-endian. Records and arrays are declared once. The server's writer, the
//! reader of [`crate::client`] and the constants of the page are derived from these declarations.

/// Type of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Number {
    U8,
    I16,
    U32,
    U64,
    F32,
    F64,
}

impl Number {
    /// Size in bytes.
    pub(crate) const fn size(self) -> usize {
        match self {
            Self::U8 => 1,
            Self::I16 => 2,
            Self::U32 | Self::F32 => 4,
            Self::U64 | Self::F64 => 8,
        }
    }
}

/// A number, or several of one type.
pub(crate) trait Value: Sized {
    const NUMBER: Number;
    /// Number of numbers.
    const COUNT: usize;
    /// Appends it.
    fn put(&self, out: &mut Vec<u8>);
    /// Reads it from the front; `None` if there are too few bytes.
    fn take(bytes: &mut &[u8]) -> Option<Self>;
}

macro_rules! number {
    ($($type:ty = $number:ident),+) => {$(
        impl Value for $type {
            const NUMBER: Number = Number::$number;
            const COUNT: usize = 1;

            fn put(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }

            fn take(bytes: &mut &[u8]) -> Option<Self> {
                let (first, rest) = bytes.split_first_chunk()?;
                *bytes = rest;
                Some(Self::from_le_bytes(*first))
            }
        }
    )+};
}

number!(u8 = U8, i16 = I16, u32 = U32, u64 = U64, f32 = F32, f64 = F64);

impl<T: Value + Copy + Default, const N: usize> Value for [T; N] {
    const NUMBER: Number = T::NUMBER;
    const COUNT: usize = N * T::COUNT;

    fn put(&self, out: &mut Vec<u8>) {
        self.iter().for_each(|number| number.put(out));
    }

    fn take(bytes: &mut &[u8]) -> Option<Self> {
        let mut all = [T::default(); N];
        for number in &mut all {
            *number = T::take(bytes)?;
        }
        Some(all)
    }
}

/// Consecutive fields without gaps.
pub(crate) trait Record: Sized {
    /// Size in bytes.
    const SIZE: usize;
    #[cfg(test)]
    const ABOUT: &'static str;
    #[cfg(test)]
    const FIELDS: &'static [Field];
    /// Appends it.
    fn put(&self, out: &mut Vec<u8>);
    /// Reads it from the first bytes; `None` if there are too few.
    fn read(bytes: &[u8]) -> Option<Self>;
}

/// A field of a record.
#[cfg(test)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Field {
    pub name: &'static str,
    pub about: &'static str,
    pub number: Number,
    pub count: usize,
    /// Number of bytes before it.
    pub offset: usize,
}

/// Declares a record.
macro_rules! record {
    (
        $(#[doc = $about:literal])+
        $vis:vis struct $name:ident { $($(#[doc = $doc:literal])* $field:ident: $type:ty,)+ }
    ) => {
        $(#[doc = $about])+
        #[derive(Clone, Copy, Debug, Default, PartialEq)]
        $vis struct $name {
            $($(#[doc = $doc])* $vis $field: $type,)+
        }

        impl $crate::protocol::layout::Record for $name {
            const SIZE: usize = {
                use $crate::protocol::layout::Value;
                0 $(+ <$type as Value>::COUNT * <$type as Value>::NUMBER.size())+
            };
            #[cfg(test)]
            const ABOUT: &'static str = concat!($($about),+);
            #[cfg(test)]
            const FIELDS: &'static [$crate::protocol::layout::Field] = &{
                use $crate::protocol::layout::{Field, Value};
                let mut end = 0;
                [$({
                    let (number, count) = (<$type as Value>::NUMBER, <$type as Value>::COUNT);
                    let offset = end;
                    end = offset + count * number.size();
                    let _ = end;
                    Field { name: stringify!($field), about: concat!($($doc),*), number, count, offset }
                }),+]
            };

            fn put(&self, out: &mut Vec<u8>) {
                $($crate::protocol::layout::Value::put(&self.$field, out);)+
            }

            fn read(mut bytes: &[u8]) -> Option<Self> {
                Some(Self { $($field: $crate::protocol::layout::Value::take(&mut bytes)?,)+ })
            }
        }
    };
}
pub(crate) use record;

/// Declares the arrays after a head, in order: their items, and the field of the head with their count.
macro_rules! arrays {
    (
        $(#[doc = $about:literal])+
        enum $name:ident of $head:ty { $($(#[doc = $doc:literal])* $array:ident: $type:ty, $count:ident;)+ }
    ) => {
        $(#[doc = $about])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum $name {
            $($(#[doc = $doc])* $array,)+
        }

        impl $name {
            pub(crate) const ALL: &'static [Self] = &[$(Self::$array),+];

            /// Type of its numbers, and their number per item.
            pub(crate) const fn item(self) -> ($crate::protocol::layout::Number, usize) {
                use $crate::protocol::layout::Value;
                match self {
                    $(Self::$array => (<$type as Value>::NUMBER, <$type as Value>::COUNT),)+
                }
            }

            /// Number of items.
            pub(crate) fn count(self, head: &$head) -> usize {
                match self {
                    $(Self::$array => head.$count as usize,)+
                }
            }

            /// The field of the head with the number of items.
            #[cfg(test)]
            pub(crate) const fn count_field(self) -> &'static str {
                match self {
                    $(Self::$array => stringify!($count),)+
                }
            }

            #[cfg(test)]
            pub(crate) const fn about(self) -> &'static str {
                match self {
                    $(Self::$array => concat!($($doc),*),)+
                }
            }
        }
    };
}
pub(crate) use arrays;
