//! Ordinary differential equations, for references by shooting.

/// Integrates y' = f(y) over a unit interval, classical fourth order.
pub(crate) fn runge_kutta<const N: usize>(
    mut y: [f64; N],
    steps: usize,
    f: impl Fn([f64; N]) -> [f64; N],
) -> [f64; N] {
    let h = 1.0 / steps as f64;
    let along = |y: [f64; N], k: [f64; N], w: f64| -> [f64; N] { std::array::from_fn(|i| y[i] + w * k[i]) };
    for _ in 0..steps {
        let k1 = f(y);
        let k2 = f(along(y, k1, h / 2.0));
        let k3 = f(along(y, k2, h / 2.0));
        let k4 = f(along(y, k3, h));
        y = std::array::from_fn(|i| y[i] + h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]));
    }
    y
}
