//! Filters against `support/known_answers.txt`: answers of a program that was written from `docs/FORMAT.md` alone.

use bloomline::{BloomFilter, Kernel, Prehashed, Scheme};

const ANSWERS: &str = include_str!("support/known_answers.txt");

/// The fields of the lines that begin with `kind`.
fn lines(kind: &str) -> impl Iterator<Item = Vec<&'static str>> {
    ANSWERS
        .lines()
        .filter_map(move |line| Some(line.strip_prefix(kind)?.strip_prefix(' ')?.split(' ').collect()))
}

fn hex(text: &str) -> u64 {
    u64::from_str_radix(text, 16).unwrap()
}

fn bytes(text: &str) -> Vec<u8> {
    (0..text.len() / 2).map(|i| u8::from_str_radix(&text[2 * i..2 * i + 2], 16).unwrap()).collect()
}

fn filter(blocks: u64, k: u32, seed: u64, kernel: Kernel) -> BloomFilter {
    BloomFilter::with_bytes(64 * blocks).k(k).seed(seed).kernel(kernel).build().unwrap()
}

/// A key of the file: an integer of up to 128 bits, or a byte string.
enum Key {
    Integer(u128),
    Bytes(Vec<u8>),
}

impl Key {
    fn parse(text: &str) -> Self {
        match text.split_at(1) {
            ("i", digits) => Self::Integer(u128::from_str_radix(digits, 16).unwrap()),
            ("b", digits) => Self::Bytes(bytes(digits)),
            _ => panic!("{text} is no key"),
        }
    }

    /// Inserts the key in every type that can hold it.
    fn insert_into(&self, filter: &mut BloomFilter) {
        match self {
            Self::Integer(key) => {
                filter.insert(key);
                filter.insert_batch(&[*key]);
                if let Ok(key) = u64::try_from(*key) {
                    filter.insert(&key);
                    filter.insert(&key.cast_signed());
                    filter.insert_batch(&[key]);
                    filter.insert_batch(&[key.cast_signed()]);
                }
                if let Ok(key) = u32::try_from(*key) {
                    filter.insert(&key);
                    filter.insert_batch(&[key]);
                }
                // Negative ones too, by their two's complement in 64 bits.
                if let Ok(key) = u64::try_from(*key)
                    && let Ok(key) = i32::try_from(key.cast_signed())
                {
                    filter.insert(&key);
                    filter.insert_batch(&[key]);
                }
            }
            Self::Bytes(key) => {
                filter.insert(key);
                filter.insert(key.as_slice());
                filter.insert_batch(&[key]);
                if let Ok(text) = str::from_utf8(key) {
                    filter.insert(text);
                    filter.insert_batch(&[text]);
                }
            }
        }
    }
}

/// The hash is not public, but a key sets the bits of its hash and no others. With 16 bits of a key in 2^16 blocks, two
/// hashes agree with a probability below 2^-60.
#[test]
fn hashes_of_keys() {
    let mut checked = 0;
    for fields in lines("key") {
        let [seed, key, hash] = fields[..] else { panic!("{fields:?}") };
        let mut expected = filter(1 << 16, 16, hex(seed), Kernel::best());
        expected.insert(&Prehashed(hex(hash)));
        let mut found = filter(1 << 16, 16, hex(seed), Kernel::best());
        Key::parse(key).insert_into(&mut found);
        assert!(found == expected, "key {key} under seed {seed} has another hash than {hash}");
        checked += 1;
    }
    assert_eq!(checked, 6 * 15 + 25 * 3);
}

/// The set bits of a filter as (block, word, bit), read from its file.
fn set_bits(filter: &BloomFilter) -> Vec<(usize, usize, usize)> {
    // Eight words: a block has as many bytes as a word has bits.
    let word = filter.scheme().block_bytes() as usize;
    let file = filter.to_bytes();
    let set = |&i: &usize| file[128 + i / 8] >> (i % 8) & 1 == 1;
    (0..8 * (file.len() - 128)).filter(set).map(|i| (i / (8 * word), i / word % 8, i % word)).collect()
}

#[test]
fn block_and_bits_of_hashes_by_every_kernel() {
    let mut checked = 0;
    for fields in lines("place") {
        let [hash, blocks, k, block, ref bits @ ..] = fields[..] else { panic!("{fields:?}") };
        let (blocks, block) = (blocks.parse::<u64>().unwrap(), block.parse::<usize>().unwrap());
        if blocks > 1000 {
            continue; // The largest filter is 256 GiB: its lines are for the readers of the rule.
        }
        let bit = |text: &&str| {
            let (word, bit) = text.split_once(':').unwrap();
            (block, word.parse().unwrap(), bit.parse().unwrap())
        };
        let expected: Vec<(usize, usize, usize)> = bits.iter().map(bit).collect();
        let key = [Prehashed(hex(hash))];
        for kernel in Kernel::available() {
            let mut single = filter(blocks, k.parse().unwrap(), 0, kernel);
            assert!(!single.insert(&key[0]));
            assert_eq!(set_bits(&single), expected, "{kernel:?} {fields:?}");
            let mut batch = filter(blocks, k.parse().unwrap(), 0, kernel);
            batch.insert_batch(&key);
            assert!(batch == single, "{kernel:?} in a batch: {fields:?}");
        }
        checked += 1;
    }
    assert_eq!(checked, 3 * 9 * 13);
}

#[test]
fn split_blocks_of_hashes_by_every_kernel() {
    let mut checked = 0;
    for fields in lines("split") {
        let [hash, blocks, block, ref bits @ ..] = fields[..] else { panic!("{fields:?}") };
        let (blocks, block) = (blocks.parse::<u64>().unwrap(), block.parse::<usize>().unwrap());
        if blocks > 1000 {
            continue; // The largest filter is 2 GiB.
        }
        let bit = |text: &&str| {
            let (word, bit) = text.split_once(':').unwrap();
            (block, word.parse().unwrap(), bit.parse().unwrap())
        };
        check_split(Prehashed(hex(hash)), blocks, &bits.iter().map(bit).collect::<Vec<_>>());
        checked += 1;
    }
    assert_eq!(checked, 3 * 11);
}

/// XXH64 of "hello" and of "parquet", and where Parquet's format places them among 32 blocks, as the file
/// `data/bloom_filter.xxhash.bin` of parquet-testing shows.
#[test]
fn prehashed_keys_lie_where_parquet_places_them() {
    for (hash, block, places) in [
        (0x26c7_827d_889f_6da3, 4, [20, 9, 10, 7, 9, 31, 28, 27]),
        (0x3c9d_2927_5c52_e429, 7, [2, 22, 22, 19, 26, 13, 4, 1]),
    ] {
        let expected: Vec<_> = places.into_iter().enumerate().map(|(word, bit)| (block, word, bit)).collect();
        check_split(Prehashed(hash), 32, &expected);
    }
}

/// XXH64 of "a0" to "a9", and the bitset of a filter of one block that parquet-mr wrote of these ten: the fixture of a test of
/// arrow-rs.
#[test]
fn a_bitset_of_parquet() {
    let hashes = [
        0xf095_e781_a712_5e70,
        0xfbe5_503c_b106_ea90,
        0xa00c_ac98_0a7d_134b,
        0x4a74_6963_01aa_2dd9,
        0xd2a1_705a_1932_7639,
        0x92ac_73a4_cd78_f47c,
        0xbf42_2495_5bef_1ae7,
        0x4068_9862_8bb0_1dd2,
        0xf9b2_6498_849f_68e5,
        0xf1e2_f8e0_d324_8d35,
    ];
    let bitset = [
        0xc8, 0x01, 0x50, 0x14, 0x40, 0x44, 0x08, 0x6d, 0x06, 0x25, 0x04, 0x43, 0x90, 0x50, 0x60, 0x20, 0x08,
        0x84, 0x2b, 0x21, 0x00, 0x05, 0x63, 0x41, 0x02, 0x00, 0xe0, 0x2c, 0x40, 0x4e, 0x60, 0x04,
    ];
    for kernel in Kernel::available() {
        let builder = BloomFilter::with_bytes(32).scheme(Scheme::SplitBlock).kernel(kernel);
        let mut filter = builder.build().unwrap();
        filter.insert_batch(Prehashed::slice(&hashes));
        assert_eq!(filter.to_bytes()[128..], bitset, "{kernel:?}");
    }
}

/// Asserts that every kernel sets these bits for the key, alone and in a batch.
fn check_split(key: Prehashed, blocks: u64, expected: &[(usize, usize, usize)]) {
    for kernel in Kernel::available() {
        let empty = BloomFilter::with_bytes(32 * blocks).scheme(Scheme::SplitBlock).kernel(kernel).build();
        let mut single = empty.unwrap();
        let mut batch = single.clone();
        assert!(!single.insert(&key));
        assert_eq!(set_bits(&single), expected, "{kernel:?} {key:?}");
        batch.insert_batch(&[key]);
        assert!(batch == single, "{kernel:?} in a batch: {key:?}");
    }
}

#[test]
fn files() {
    let mut checked = 0;
    for fields in lines("file") {
        let [name, scheme, blocks, k, seed, items, rate, keys, contents] = fields[..] else {
            panic!("{fields:?}")
        };
        let contents = bytes(contents);
        let keys: Vec<Key> = keys.split(',').filter(|&key| key != "-").map(Key::parse).collect();
        let (items, rate) = (items.parse::<u64>().ok(), rate.parse::<f64>().ok());
        let blocks: u64 = blocks.parse().unwrap();
        let scheme = match scheme {
            "1" => Scheme::Block512,
            "2" => Scheme::SplitBlock,
            _ => panic!("scheme {scheme}"),
        };
        let size = scheme.block_bytes() * blocks;
        let builder = match (items, rate) {
            (Some(items), Some(rate)) => BloomFilter::with_rate(items, rate),
            (Some(items), None) => BloomFilter::with_bytes(size).expected_items(items),
            _ => BloomFilter::with_bytes(size),
        };
        let mut filter = builder.scheme(scheme).k(k.parse().unwrap()).seed(hex(seed)).build().unwrap();
        keys.iter().for_each(|key| key.insert_into(&mut filter));
        assert_eq!(filter.to_bytes(), contents, "{name}");

        let read = BloomFilter::from_bytes(&contents).unwrap();
        assert!(read == filter, "{name}");
        assert_eq!(read.scheme(), scheme);
        assert_eq!((read.blocks(), read.k().to_string().as_str(), read.seed()), (blocks, k, hex(seed)));
        assert_eq!((read.expected_items(), read.target_rate()), (items, rate), "{name}");
        assert_eq!(read.to_bytes(), contents, "{name}");
        checked += 1;
    }
    assert_eq!(checked, 8);
}
