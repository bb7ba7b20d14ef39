//! Strain measures: density, gradient and Hessian in the local variables of one quadrature point.

pub mod frenet;
pub mod natural;
