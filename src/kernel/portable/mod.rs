//! The portable kernel: vectors of the `wide` crate, as wide as the build's target features allow.

mod block512;
mod split;

use super::{EIGHT, Row, by_class, functions};
use block512::Portable;
use split::PortableSplit;

pub(super) const ROW: Row = Row {
    name: "portable",
    needs: "nothing",
    detect: || true,
    block512: by_class!(Portable),
    split: functions!(PortableSplit, EIGHT),
};
