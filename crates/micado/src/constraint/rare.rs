//! A part of a state that few constraints use. It takes memory only where it was written.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::ops::{Deref, DerefMut};

/// A value that most constraints don't use. It reads as [`Unused::UNUSED`] until it is written.
#[derive(Debug)]
pub struct Rare<T>(Option<Box<T>>);

/// A type with a constant that stands for the unused value.
pub trait Unused: Clone + PartialEq + 'static {
    /// The unused value.
    const UNUSED: &'static Self;
}

impl<T: Unused> Rare<T> {
    /// Takes memory now, so that a later write doesn't.
    pub(crate) fn reserve(&mut self) {
        let _: &mut T = self;
    }

    /// Makes it unused; its memory stays.
    pub(crate) fn clear(&mut self) {
        if let Some(own) = &mut self.0 {
            own.as_mut().clone_from(T::UNUSED);
        }
    }
}

impl<T> Default for Rare<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T: Unused> From<T> for Rare<T> {
    fn from(value: T) -> Self {
        Self((value != *T::UNUSED).then(|| Box::new(value)))
    }
}

impl<T: Unused> Deref for Rare<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0.as_deref().unwrap_or(T::UNUSED)
    }
}

impl<T: Unused> DerefMut for Rare<T> {
    fn deref_mut(&mut self) -> &mut T {
        self.0.get_or_insert_with(|| Box::new(T::UNUSED.clone()))
    }
}

impl<T: Unused> Clone for Rare<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }

    /// Keeps its own memory.
    fn clone_from(&mut self, other: &Self) {
        match (&mut self.0, &other.0) {
            (Some(own), Some(other)) => own.as_mut().clone_from(other),
            (None, Some(other)) => self.0 = Some(other.clone()),
            (_, None) => self.clear(),
        }
    }
}

impl<T: Unused> PartialEq for Rare<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: Unused + Serialize> Serialize for Rare<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        T::serialize(self, serializer)
    }
}

impl<'de, T: Unused + Deserialize<'de>> Deserialize<'de> for Rare<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::deserialize(deserializer).map(Self::from)
    }
}

#[cfg(test)]
mod tests {
    use super::{Rare, Unused};

    impl Unused for [f64; 2] {
        const UNUSED: &'static Self = &[0.0; 2];
    }

    #[test]
    fn unused_value_takes_no_memory_and_a_used_one_keeps_its_own() {
        let mut rare = Rare::<[f64; 2]>::default();
        assert!(rare[1] == 0.0 && rare.0.is_none());
        let other = Rare::from([0.0, 3.0]);
        rare.clone_from(&other);
        assert_eq!(rare, other);
        let place = std::ptr::from_ref(&*rare);
        rare.clone_from(&Rare::default());
        assert!(*rare == [0.0; 2] && rare == Rare::default() && std::ptr::eq(place, &*rare));
        rare[0] = 2.0;
        rare.clone_from(&other);
        assert!(*rare == [0.0, 3.0] && std::ptr::eq(place, &*rare));
        let text = serde_json::to_string(&rare).expect("numbers");
        assert_eq!(
            (text.as_str(), serde_json::from_str::<Rare<[f64; 2]>>(&text).expect("numbers")),
            ("[0.0,3.0]", rare)
        );
    }
}
