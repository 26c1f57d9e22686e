//! NEON. Keys are hashed one by one, since it has no product of 64-bit lanes.
#![allow(unsafe_code)]

mod block512;
mod split;

use core::arch::aarch64::*;

use crate::kernel::engine::GROUP;
use crate::kernel::{EIGHT, Row, by_class, functions};
use block512::Neon;
use split::NeonSplit;

pub(in crate::kernel) const ROW: Row = Row {
    name: "neon",
    needs: "NEON",
    // This file is only compiled for targets whose every CPU has it.
    detect: || true,
    block512: by_class!(Neon),
    split: functions!(NeonSplit, EIGHT),
};

#[inline(always)]
fn is_zero(missing: uint64x2_t) -> bool {
    // SAFETY: the target has NEON, or this file would not be compiled.
    unsafe { vmaxvq_u32(vreinterpretq_u32_u64(missing)) == 0 }
}

/// [`is_zero`] of eight registers: bit i of the answer belongs to register i.
#[inline(always)]
fn are_zero(missing: &[uint64x2_t; GROUP]) -> u8 {
    // SAFETY: the target has NEON, or this file would not be compiled. The load reads all eight elements.
    unsafe {
        // The maximum of a key's four half-words is 0 when nothing is missing. Maxima of neighbours, taken twice,
        // leave one half-word for each key, in the order of the keys.
        let pairs = |a, b| vpmaxq_u32(vreinterpretq_u32_u64(a), vreinterpretq_u32_u64(b));
        let low = vpmaxq_u32(pairs(missing[0], missing[1]), pairs(missing[2], missing[3]));
        let high = vpmaxq_u32(pairs(missing[4], missing[5]), pairs(missing[6], missing[7]));
        let present = vcombine_u16(vmovn_u32(vceqzq_u32(low)), vmovn_u32(vceqzq_u32(high)));
        let bits = vld1q_u16([1, 2, 4, 8, 16, 32, 64, 128].as_ptr());
        vaddvq_u16(vandq_u16(present, bits)) as u8
    }
}
