//! Contacts: what touches, found anew in every step and never part of the structure.

pub mod clips;
