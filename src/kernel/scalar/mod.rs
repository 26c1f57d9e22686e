//! The scalar kernel: the bit contracts word by word, their steps in safe code, and so the oracle of every other kernel.

mod block512;
mod split;

use super::{EIGHT, Row, by_class, functions};
use block512::Scalar;
use split::ScalarSplit;

pub(super) const ROW: Row = Row {
    name: "scalar",
    needs: "nothing",
    detect: || true,
    block512: by_class!(Scalar),
    split: functions!(ScalarSplit, EIGHT),
};
