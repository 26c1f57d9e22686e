//! skeleton
mod keys;
mod rival;
mod rivals;
fn main() {
    for e in rival::table::<u64>() {
        println!(
            "{} {} {} {} {} {} {}",
            e.name, e.package, e.scheme, e.hash, e.bulk, e.from_bytes, e.build_bytes
        );
    }
}
