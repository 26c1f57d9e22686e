//! Known answers. The values come from a separate program in another language, which reproduces the
//! published vectors of wyhash (final version 3), or were worked out by hand where the comment says so.

use alloc::vec::Vec;

use super::{ReferenceFilter, fmix64, mix, positions};

fn list(hashes: [u64; 2], m: u64, k: u32) -> Vec<u64> {
    positions(hashes, m, k).collect()
}

fn of_u64(key: u64, m: u64, k: u32, seed: u64) -> Vec<u64> {
    let filter = ReferenceFilter::with_bits(64, 1, seed).unwrap();
    list(filter.hash_u64(key), m, k)
}

fn of_bytes(key: &[u8], m: u64, k: u32, seed: u64) -> Vec<u64> {
    let filter = ReferenceFilter::with_bits(64, 1, seed).unwrap();
    list(filter.hash_bytes(key), m, k)
}

#[test]
fn finalisers() {
    let inputs = [0, 1, 2, u64::MAX];
    let murmur = [0, 0xb456_bcfc_34c2_cb2c, 0x3abf_2a20_6506_83e7, 0x64b5_720b_4b82_5f21];
    assert_eq!(inputs.map(fmix64), murmur);
    let splitmix = [0, 0x5692_161d_100b_05e5, 0xdbd2_3897_3a2b_148a, 0xb4d0_55fc_f2cb_bd7b];
    assert_eq!(inputs.map(mix), splitmix);
}

#[test]
fn the_seeds_are_the_first_outputs_of_splitmix64() {
    let seeds = |seed| ReferenceFilter::with_bits(64, 1, seed).unwrap().seeds;
    // Published for the seed 0.
    assert_eq!(seeds(0), [0xe220_a839_7b1d_cdaf, 0x6e78_9e6a_a1b9_65f4]);
    assert_eq!(seeds(7), [0x63cb_e1e4_5932_0dd7, 0x044c_3cd7_f43c_661c]);
}

#[test]
fn positions_at_the_ends_of_the_ranges() {
    // By hand: a = 0, b = 1; a = m - 1, b = m - 1; a = ⌊m / 2⌋, b = 1 + ⌊(m - 1) / 2⌋.
    assert_eq!(list([0, 0], 10, 4), [0, 1, 2, 3]);
    assert_eq!(list([u64::MAX, u64::MAX], 10, 4), [9, 8, 7, 6]);
    assert_eq!(list([1 << 63, 1 << 63], 10, 4), [5, 0, 5, 0]);
    assert_eq!(list([u64::MAX, u64::MAX], 1, 3), [0, 0, 0]);
    assert_eq!(list([u64::MAX, 0], 2, 3), [1, 0, 1]);
    let last = (1 << 63) - 1;
    assert_eq!(list([u64::MAX, u64::MAX], 1 << 63, 3), [last, last - 1, last - 2]);
}

#[test]
fn positions_of_integers() {
    assert_eq!(
        of_u64(42, 9_585_059, 7, 0),
        [487_546, 8_702_259, 7_331_913, 5_961_567, 4_591_221, 3_220_875, 1_850_529]
    );
    assert_eq!(
        of_u64(42, 9_585_059, 7, 7),
        [695_040, 8_963_671, 7_647_243, 6_330_815, 5_014_387, 3_697_959, 2_381_531]
    );
    assert_eq!(
        of_u64(u64::MAX, 1 << 63, 4, 1),
        [
            3_024_069_871_400_980_624,
            1_944_467_751_204_938_939,
            864_865_631_008_897_254,
            9_008_635_547_667_631_377
        ]
    );
    assert_eq!(of_u64(5, 64, 7, 0), [56, 38, 20, 2, 48, 30, 12]);
    assert_eq!(of_u64(5, 2, 3, 0), [1, 0, 1]);
    assert_eq!(of_u64(5, 1, 3, 0), [0, 0, 0]);
}

#[test]
fn positions_of_byte_strings() {
    assert_eq!(
        of_bytes(b"", 9_585_059, 7, 0),
        [6_493_863, 4_204_530, 1_915_197, 9_210_923, 6_921_590, 4_632_257, 2_342_924]
    );
    assert_eq!(
        of_bytes(b"bloom", 9_585_059, 7, 7),
        [4_685_930, 9_539_305, 4_807_621, 75_937, 4_929_312, 197_628, 5_051_003]
    );
    let long: Vec<u8> = (0..100).collect();
    assert_eq!(of_bytes(&long, 1 << 40, 3, 9), [815_362_106_329, 235_271_792_263, 754_693_105_973]);
}
