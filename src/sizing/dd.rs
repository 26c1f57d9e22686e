//! Double-double arithmetic: an unevaluated sum of two `f64`, about 106 bits of significand.
//!
//! The rates of the blocked scheme are alternating sums whose terms are up to 10²⁰ times larger than
//! the result. Plain `f64` would lose all of it. The error-free transformations are those of Dekker
//! (Numerische Mathematik 18, 1971) and Knuth (TAOCP 2, §4.2.2); no fused multiply-add is used, so
//! that every machine computes the same bits.

use core::ops::{Add, Div, Mul, Neg, Sub};

/// The number `high + low`, with `|low|` at most half a unit in the last place of `high`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Dd {
    high: f64,
    low: f64,
}

/// `a + b` without error, if `|a| >= |b|`.
fn quick_two_sum(a: f64, b: f64) -> Dd {
    let high = a + b;
    Dd { high, low: b - (high - a) }
}

/// `a + b` without error.
fn two_sum(a: f64, b: f64) -> Dd {
    let high = a + b;
    let b_part = high - a;
    Dd { high, low: (a - (high - b_part)) + (b - b_part) }
}

/// The upper and lower 26 bits of the significand (Veltkamp's split).
fn split(a: f64) -> (f64, f64) {
    let scaled = a * 134_217_729.0; // 2^27 + 1
    let upper = scaled - (scaled - a);
    (upper, a - upper)
}

/// `a · b` without error, for magnitudes far from overflow and underflow.
fn two_product(a: f64, b: f64) -> Dd {
    let high = a * b;
    let (a1, a0) = split(a);
    let (b1, b0) = split(b);
    Dd { high, low: ((a1 * b1 - high) + a1 * b0 + a0 * b1) + a0 * b0 }
}

impl Dd {
    pub(super) const ZERO: Self = Self { high: 0.0, low: 0.0 };
    pub(super) const ONE: Self = Self { high: 1.0, low: 0.0 };
    const LN_2: Self = Self { high: core::f64::consts::LN_2, low: 2.319_046_813_846_299_6e-17 };

    pub(super) const fn value(self) -> f64 {
        self.high
    }

    pub(super) fn square(self) -> Self {
        self * self
    }

    /// e to this power, which must not be positive.
    pub(super) fn exp(self) -> Self {
        if self.high < -700.0 {
            return Self::ZERO; // below 10^-304, where the low half would no longer be normal
        }
        let halvings = libm::rint(self.high / core::f64::consts::LN_2);
        let rest = self - Self::LN_2 * halvings.into();
        // 0.35^27 / 27! is below 2^-130.
        let mut sum = Self::ONE;
        for i in (1..27).rev() {
            sum = Self::ONE + rest * sum / f64::from(i);
        }
        let scale = |part| libm::scalbn(part, halvings as i32);
        Self { high: scale(sum.high), low: scale(sum.low) }
    }

    /// ln(1 − this), for this in [0, 0.9], with a small relative error however small this is:
    /// −2 artanh(x / (2 − x)) by its Taylor series.
    pub(super) fn ln_one_minus(self) -> Self {
        let z = self / (Self::from(2.0) - self);
        let z_squared = z.square();
        let (mut power, mut sum, mut odd) = (z, z, 3.0);
        while power.high > 1e-34 * sum.high {
            power = power * z_squared;
            sum = sum + power / odd;
            odd += 2.0;
        }
        sum * Self::from(-2.0)
    }
}

impl From<f64> for Dd {
    fn from(high: f64) -> Self {
        Self { high, low: 0.0 }
    }
}

impl From<u128> for Dd {
    /// Exact below 2^106.
    fn from(value: u128) -> Self {
        const HALF: u128 = 1 << 53;
        quick_two_sum((value / HALF) as f64 * HALF as f64, (value % HALF) as f64)
    }
}

impl Add for Dd {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        let high = two_sum(self.high, other.high);
        let low = two_sum(self.low, other.low);
        let sum = quick_two_sum(high.high, high.low + low.high);
        quick_two_sum(sum.high, sum.low + low.low)
    }
}

impl Neg for Dd {
    type Output = Self;
    fn neg(self) -> Self {
        Self { high: -self.high, low: -self.low }
    }
}

impl Sub for Dd {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Dd {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let product = two_product(self.high, other.high);
        let cross = self.high * other.low + self.low * other.high;
        quick_two_sum(product.high, product.low + cross)
    }
}

impl Div for Dd {
    type Output = Self;
    fn div(self, divisor: Self) -> Self {
        let first = self.high / divisor.high;
        let rest = self - divisor * first.into();
        let second = rest.high / divisor.high;
        let rest = rest - divisor * second.into();
        quick_two_sum(first, second) + (rest.high / divisor.high).into()
    }
}

impl Div<f64> for Dd {
    type Output = Self;
    fn div(self, divisor: f64) -> Self {
        let first = self.high / divisor;
        let product = two_product(first, divisor);
        let rest = (self.high - product.high) - product.low + self.low;
        quick_two_sum(first, rest / divisor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from_ratio(numerator: u32, denominator: u32) -> Dd {
        Dd::from(f64::from(numerator)) / Dd::from(f64::from(denominator))
    }

    fn assert_close(got: Dd, high: f64, low: f64) {
        let error = (got - Dd { high, low }).high.abs();
        assert!(error <= 1e-31 * high.abs(), "{got:?} is not {high} + {low}");
    }

    // High and low halves from 60-digit arithmetic.
    const EXP_1: (f64, f64) = (0.36787944117144233, -1.2428753672788363e-17);
    const EXP_THIRD: (f64, f64) = (0.7165313105737893, -2.0286948382455594e-17);
    const EXP_100: (f64, f64) = (3.720075976020836e-44, -1.5705024907732008e-60);
    const LN_2_FIFTHS: (f64, f64) = (-0.9162907318741551, 4.141195369011963e-17);
    const LN_TINY: (f64, f64) = (-3.333333333888889e-10, 3.161514007572587e-28);

    #[test]
    fn exp_has_thirty_one_digits() {
        assert_close(Dd::from(-1.0).exp(), EXP_1.0, EXP_1.1);
        assert_close(from_ratio(1, 3).neg().exp(), EXP_THIRD.0, EXP_THIRD.1);
        assert_close(Dd::from(-100.0).exp(), EXP_100.0, EXP_100.1);
        assert_eq!(Dd::ZERO.exp(), Dd::ONE);
        assert_eq!(Dd::from(-1e30).exp(), Dd::ZERO);
    }

    #[test]
    fn logarithm_has_thirty_one_digits_for_large_and_tiny_arguments() {
        assert_close(from_ratio(3, 5).ln_one_minus(), LN_2_FIFTHS.0, LN_2_FIFTHS.1);
        assert_close(from_ratio(1, 3_000_000_000).ln_one_minus(), LN_TINY.0, LN_TINY.1);
        assert_eq!(Dd::ZERO.ln_one_minus().value(), 0.0);
    }

    #[test]
    fn both_divisions_agree_and_invert_multiplication() {
        for divisor in [3.0, 7.0, 1e9 + 7.0] {
            let third = from_ratio(1, 3);
            let (general, plain) = (third / Dd::from(divisor), third / divisor);
            assert_close(general, plain.high, plain.low);
            assert_close(plain * divisor.into(), third.high, third.low);
        }
    }

    #[test]
    fn integers_below_2_to_the_106_are_exact() {
        let value = (1u128 << 105) + 1;
        let number = Dd::from(value);
        assert_eq!((number.high as u128, number.low), (1 << 105, 1.0));
        assert_eq!((Dd::from(value) - Dd::from(value - 1)).value(), 1.0);
    }
}
