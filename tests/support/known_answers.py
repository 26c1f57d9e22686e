#!/usr/bin/env python3
"""Known answers, computed from docs/FORMAT.md and from nothing of the library.

    python3 tests/support/known_answers.py           prints tests/support/known_answers.txt
    python3 tests/support/known_answers.py --check   fails when that file or the examples of docs/FORMAT.md differ
"""

import struct
import sys
import zlib
from pathlib import Path

M64 = 2**64 - 1
HERE = Path(__file__).resolve().parent


# FORMAT.md section 1.

def rounds(x, a, b):
    h = x ^ a
    h = ((h ^ (h >> 30)) * 0xBF58476D1CE4E5B9 + b) & M64
    h = ((h ^ (h >> 27)) * 0x94D049BB133111EB) & M64
    return h ^ (h >> 31)


def words_of_seed(s):
    a = rounds((s + 0x9E3779B97F4A7C15) & M64, 0, 0)
    b = rounds((s + 0x3C6EF372FE94F82A) & M64, 0, 0)
    return a, b


def hash_integer(x, s):
    a, b = words_of_seed(s)
    high, low = x >> 64, x & M64
    return rounds(low ^ rounds(high, a, b) ^ rounds(0, a, b), a, b)


SECRET = (0xA0761D6478BD642F, 0xE7037ED1A0B428DB, 0x8EBC6AF09C88C6E3, 0x589965CC75374CC3)


def wyhash(key, seed):
    """wyhash, final version 3, of Wang Yi, after the published algorithm."""
    def mix(a, b):
        product = a * b
        return (product & M64) ^ (product >> 64)

    def read(at, count):
        return int.from_bytes(key[at:at + count], "little")

    length = len(key)
    seed ^= SECRET[0]
    a = b = 0
    if length > 16:
        at, left = 0, length
        if left > 48:
            one = two = seed
            while left > 48:
                seed = mix(read(at, 8) ^ SECRET[1], read(at + 8, 8) ^ seed)
                one = mix(read(at + 16, 8) ^ SECRET[2], read(at + 24, 8) ^ one)
                two = mix(read(at + 32, 8) ^ SECRET[3], read(at + 40, 8) ^ two)
                at, left = at + 48, left - 48
            seed ^= one ^ two
        while left > 16:
            seed = mix(read(at, 8) ^ SECRET[1], read(at + 8, 8) ^ seed)
            at, left = at + 16, left - 16
        a, b = read(length - 16, 8), read(length - 8, 8)
    elif length >= 4:
        step = length >> 3 << 2
        a = read(0, 4) << 32 | read(step, 4)
        b = read(length - 4, 4) << 32 | read(length - 4 - step, 4)
    elif length > 0:
        a = key[0] << 16 | key[length >> 1] << 8 | key[length - 1]
    return mix(SECRET[1] ^ length, mix(a ^ SECRET[1], b ^ seed))


PUBLISHED = [(b"", 0, 0x42BC986DC5EEC4D3), (b"a", 1, 0x84508DC903C31551), (b"abc", 2, 0x0BC54887CFC9ECB1),
             (b"message digest", 3, 0x6E2FF3298208A67C)]
assert all(wyhash(key, seed) == value for key, seed, value in PUBLISHED)


def hash_key(key, s):
    if isinstance(key, int):
        return hash_integer(key, s)
    return wyhash(key if isinstance(key, bytes) else key.encode(), s)


# FORMAT.md section 2.

def place(h, blocks, k):
    """The block of a hash, and its bits as pairs (word, bit), sorted."""
    block = (h * blocks) >> 64
    first = (h * 0x9E3779B97F4A7C15) & M64
    second = ((first ^ (first >> 29)) * 0xD1342543DE82EF95) & M64
    byte = lambda product, i: product >> (8 * i) & 0xFF
    start = (first >> 62) + 4 * (first >> 54 & 1)
    run = [(start + i) % 8 for i in range(k if k <= 8 else k - 8)]
    bits = {(w, byte(first, w) & 63) for w in (run if k <= 7 else range(8))}
    if k > 8:
        bits |= {(w, byte(second, w) & 63) for w in run}
    return block, sorted(bits)


# FORMAT.md section 3.

SALTS = (0x47B6137B, 0x44974D91, 0x8824AD5B, 0xA2B7289D, 0x705495C7, 0x2DF1424B, 0x9EFC4947, 0x5C6BFB31)


def split_place(h, blocks):
    """The same in split blocks."""
    block = ((h >> 32) * blocks) >> 32
    low = h & 0xFFFFFFFF
    return block, [(word, (low * salt & 0xFFFFFFFF) >> 27) for word, salt in enumerate(SALTS)]


# FORMAT.md section 4.

BLOCK512, SPLIT = 1, 2


def file(scheme, blocks, k, seed, items, rate, keys):
    word_bytes = {BLOCK512: 8, SPLIT: 4}[scheme]
    payload = bytearray(8 * word_bytes * blocks)
    for key in keys:
        h = hash_key(key, seed)
        block, bits = place(h, blocks, k) if scheme == BLOCK512 else split_place(h, blocks)
        for word, bit in bits:
            payload[word_bytes * (8 * block + word) + bit // 8] |= 1 << bit % 8
    flags = (items is not None) + 2 * (rate is not None)
    header = bytes.fromhex("89424c4d0d0a1a0a")
    header += struct.pack("<IIIIIIQQQd", 1, scheme, 1, flags, k, 0, seed, blocks, items or 0, rate or 0.0)
    header += bytes(56) + struct.pack("<I", zlib.crc32(payload))
    header += struct.pack("<I", zlib.crc32(header))
    assert len(header) == 128
    return header + bytes(payload)


# What is asked.

SEEDS = [0, 1, 2**32, 2**63, M64, 0x0123456789ABCDEF]
INTEGERS = [0, 1, 42, 2**31, 2**32 - 1, 2**32, 2**63, M64 - 1, M64]
WIDE = [1 << 64, (1 << 64) | 1, M64 << 64, (1 << 128) - 1, 0x0123456789ABCDEF_FEDCBA9876543210, 1 << 127]
LENGTHS = [0, 1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 32, 33, 47, 48, 49, 64, 65, 96, 97, 100, 144, 145, 200]
KS = [1, 4, 6, 7, 8, 9, 12, 15, 16]
SHAPES = [1, 3, 1000]
LARGEST = 2**32 - 1
LARGEST_SPLIT = 2**26 - 1


def border(blocks, number):
    """The lowest hash that falls in the block of this number."""
    return -(-number * 2**64 // blocks)


HASHES = [0, 1, M64, 2**63, 2**32 - 1, 2**32, 0x0123456789ABCDEF, 0x9E3779B97F4A7C15, 0xDEADBEEFCAFEF00D,
          border(3, 1), border(3, 1) - 1, border(1000, 999), border(1000, 999) - 1]

# Of the upper half of a hash, the lowest in block 999 of 1000, and the one before.
UPPER = -(-999 * 2**32 // 1000)
SPLIT_HASHES = HASHES[:9] + [UPPER << 32, (UPPER << 32) - 1]

# What the Parquet format gives: XXH64 of "hello" and "parquet" in 32 blocks.
for h, where in [(0x26C7827D889F6DA3, (4, [20, 9, 10, 7, 9, 31, 28, 27])),
                 (0x3C9D29275C52E429, (7, [2, 22, 22, 19, 26, 13, 4, 1]))]:
    assert split_place(h, 32) == (where[0], list(enumerate(where[1])))

# (scheme, blocks, k, seed, items, rate, keys)
FILES = {
    "empty": (BLOCK512, 1, 8, 0, None, None, []),
    "fewer": (BLOCK512, 3, 5, 7, 100, None, [0, 1, 2, 3, 500, M64]),
    "eight": (BLOCK512, 3, 8, M64, None, None, ["", "a", "key", "naïve", b"\x00\xff" * 40]),
    "more": (BLOCK512, 3, 13, 0x0123456789ABCDEF, 12, None, [5, "five", 1 << 64]),
    "one": (BLOCK512, 1, 4, 0, 1, 0.25, ["only"]),
    "split": (SPLIT, 3, 8, 7, 30, None, [0, 1, 42, M64, 1 << 64, "", "split", b"\x00\xff" * 40]),
    "split-empty": (SPLIT, 1, 8, 0, None, None, []),
    "example": (BLOCK512, 2, 8, 0, 3, None, ["user1@mail.com", "user2@mail.com", 42]),
}

EXAMPLES = [(1, 0, 1000, 8), (2**64 - 1, 1, 1000, 4), ("abc", 0, 1000, 6), ("abc", 2, 3, 9),
            ("user1@mail.com", 0, 19532, 16), (1 << 64, 0, LARGEST, 1)]

SPLIT_EXAMPLES = [(1, 0, 1000), ("abc", 2, 3), ("user1@mail.com", 0, LARGEST_SPLIT)]


def key_as_text(key):
    if isinstance(key, int):
        return f"i{key:x}"
    return "b" + (key if isinstance(key, bytes) else key.encode()).hex()


def bits_as_text(bits):
    return " ".join(f"{word}:{bit}" for word, bit in bits)


def answers():
    yield "# Known answers for docs/FORMAT.md. Printed by tests/support/known_answers.py; do not edit."
    yield "# key <seed> <key: i integer in hex, b bytes in hex> <hash>"
    for seed in SEEDS:
        for key in INTEGERS + WIDE:
            yield f"key {seed:x} {key_as_text(key)} {hash_key(key, seed):x}"
    for length in LENGTHS:
        key = bytes(i * 37 + length & 0xFF for i in range(length))
        for seed in SEEDS[:1] + SEEDS[4:]:
            yield f"key {seed:x} {key_as_text(key)} {hash_key(key, seed):x}"
    yield "# place <hash> <blocks> <k> <block> <word:bit ...>"
    for blocks in SHAPES + [LARGEST]:
        for k in KS:
            for h in HASHES:
                block, bits = place(h, blocks, k)
                yield f"place {h:x} {blocks} {k} {block} {bits_as_text(bits)}"
    yield "# split <hash> <blocks> <block> <word:bit ...>"
    for blocks in SHAPES + [LARGEST_SPLIT]:
        for h in SPLIT_HASHES:
            block, bits = split_place(h, blocks)
            yield f"split {h:x} {blocks} {block} {bits_as_text(bits)}"
    yield "# file <name> <scheme> <blocks> <k> <seed> <items> <rate> <keys, comma-separated> <bytes>"
    for name, (scheme, blocks, k, seed, items, rate, keys) in FILES.items():
        number = lambda value: "-" if value is None else value
        listed = ",".join(map(key_as_text, keys)) or "-"
        contents = file(*FILES[name]).hex()
        yield f"file {name} {scheme} {blocks} {k} {seed:x} {number(items)} {number(rate)} {listed} {contents}"


def example_table():
    yield "| key | seed | h | blocks | k | block | bits |"
    yield "|---|---|---|---|---|---|---|"
    for key, seed, blocks, k in EXAMPLES:
        h = hash_key(key, seed)
        block, bits = place(h, blocks, k)
        if isinstance(key, int):
            shown = str(key) if key < 1000 else {M64: "2^64 − 1", 1 << 64: "2^64"}[key]
        else:
            shown = f'"{key}"'
        yield f"| {shown} | {seed} | {h:016x} | {blocks} | {k} | {block} | {bits_as_text(bits)} |"


def split_example_table():
    yield "| key | seed | h | blocks | block | bits |"
    yield "|---|---|---|---|---|---|"
    for key, seed, blocks in SPLIT_EXAMPLES:
        h = hash_key(key, seed)
        block, bits = split_place(h, blocks)
        shown = key if isinstance(key, int) else f'"{key}"'
        yield f"| {shown} | {seed} | {h:016x} | {blocks} | {block} | {bits_as_text(bits)} |"


def example_file():
    contents = file(*FILES["example"])
    for at in range(0, len(contents), 16):
        yield f"    {at:02x}  " + contents[at:at + 16].hex(" ")


def check():
    committed = (HERE / "known_answers.txt").read_text(encoding="utf-8")
    failures = []
    if committed != "\n".join(answers()) + "\n":
        failures.append("tests/support/known_answers.txt is not what this program prints")
    document = (HERE.parent.parent / "docs" / "FORMAT.md").read_text(encoding="utf-8")
    for name, lines in [("worked examples", example_table()), ("split examples", split_example_table()),
                        ("example file", example_file())]:
        text = "\n".join(lines)
        if text not in document:
            failures.append(f"docs/FORMAT.md does not hold these {name}:\n{text}")
    print("\n".join(failures) or "known answers and examples are up to date")
    return 1 if failures else 0


if __name__ == "__main__":
    if sys.argv[1:] == ["--check"]:
        sys.exit(check())
    if sys.argv[1:]:
        sys.exit(__doc__)
    print("\n".join(answers()))
