//! How the rates of filters of the same shape scatter.

use super::shape::Shape;
use super::untouched::{Load, Terms};

/// The standard deviation of the rate of a filter that holds `items`, at least one.
///
/// Writing R for the rate of one block and I for the number of keys in it, the result is the root of
/// (Var R − Cov(R, I)² / Var I) / b. The second term is there because the loads of all blocks add up to
/// n; it takes the dependence of R on I as linear, so the result is exact for one block and
/// otherwise right to a relative error of order 1/b.
pub(super) fn standard_deviation(shape: &Shape, items: u64, blocks: u64) -> f64 {
    let query = Terms::query(shape);
    let load = Load::Binomial { items, blocks };
    let mean = query.probability(load);
    let mut variance = (Terms::two_queries(shape).probability(load) - mean.square()).value();
    if blocks > 1 {
        let share = 1.0 / blocks as f64;
        let mean_load = items as f64 * share;
        // E[R · I] = E[I] · E[R, given that one certain key is in the block].
        let others = Load::Binomial { items: items - 1, blocks };
        let covariance = mean_load * (query.probability_with_one_more(others) - mean).value();
        variance -= covariance * covariance / (mean_load * (1.0 - share));
    }
    libm::sqrt(variance.max(0.0) / blocks as f64)
}
