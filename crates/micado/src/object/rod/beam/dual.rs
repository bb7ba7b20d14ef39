//! Dual numbers: values with derivatives by the variables of an element. Second derivatives are derivatives
//! of an exact gradient.

use std::ops::{Add, Div, Mul, Neg, Sub};

/// Variables of an element: the chord e, the end tangents D_a and D_b, the rolls θ_a and θ_b.
pub(super) const VARIABLES: usize = 11;

/// Number type of an element.
pub(super) trait Number: Copy + Neg<Output = Self>
where
    Self: Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self>,
{
    /// A constant.
    fn of(value: f64) -> Self;
    /// Its value.
    fn value(self) -> f64;
    /// f(x), with the value and the derivative of f at x.
    fn through(self, value: f64, slope: f64) -> Self;

    fn sqrt(self) -> Self {
        let root = self.value().sqrt();
        self.through(root, 0.5 / root)
    }
}

impl Number for f64 {
    fn of(value: f64) -> Self {
        value
    }

    fn value(self) -> f64 {
        self
    }

    fn through(self, value: f64, _slope: f64) -> Self {
        value
    }
}

/// A number and its gradient.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dual {
    pub(super) value: f64,
    pub(super) slope: [f64; VARIABLES],
}

impl Dual {
    /// `value` and the combination `p a + q b` of two gradients.
    fn combined(value: f64, a: &Self, p: f64, b: &Self, q: f64) -> Self {
        Self { value, slope: std::array::from_fn(|k| p * a.slope[k] + q * b.slope[k]) }
    }
}

impl Number for Dual {
    fn of(value: f64) -> Self {
        Self { value, slope: [0.0; VARIABLES] }
    }

    fn value(self) -> f64 {
        self.value
    }

    fn through(self, value: f64, slope: f64) -> Self {
        Self { value, slope: self.slope.map(|s| s * slope) }
    }
}

impl Add for Dual {
    type Output = Self;

    fn add(self, b: Self) -> Self {
        Self::combined(self.value + b.value, &self, 1.0, &b, 1.0)
    }
}

impl Sub for Dual {
    type Output = Self;

    fn sub(self, b: Self) -> Self {
        Self::combined(self.value - b.value, &self, 1.0, &b, -1.0)
    }
}

impl Mul for Dual {
    type Output = Self;

    fn mul(self, b: Self) -> Self {
        Self::combined(self.value * b.value, &self, b.value, &b, self.value)
    }
}

impl Div for Dual {
    type Output = Self;

    fn div(self, b: Self) -> Self {
        let value = self.value / b.value;
        Self::combined(value, &self, 1.0 / b.value, &b, -value / b.value)
    }
}

impl Neg for Dual {
    type Output = Self;

    fn neg(self) -> Self {
        self.through(-self.value, -1.0)
    }
}
