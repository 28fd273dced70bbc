//! Tells which code this is, so that nothing is read that other code has written: a hash over all that an analysis by
//! objects depends on.

use std::collections::hash_map::DefaultHasher;
use std::env;
use std::error::Error;
use std::fs;
use std::hash::Hasher;
use std::path::{Path, PathBuf};

/// The crates that read classes, that analyse them, and that bring both together.
const SOURCES: [&str; 9] = [
    "Cargo.lock",
    "crates/classfile",
    "crates/cli",
    "crates/exceptions",
    "crates/ir",
    "crates/pairs",
    "crates/pointsto",
    "crates/program",
    "crates/protocol",
];

fn main() -> Result<(), Box<dyn Error>> {
    let manifest = env::var_os("CARGO_MANIFEST_DIR").ok_or("cargo did not set CARGO_MANIFEST_DIR")?;
    let workspace = Path::new(&manifest).join("../..").canonicalize()?;
    let mut code = DefaultHasher::new();
    for source in SOURCES {
        let path = workspace.join(source);
        println!("cargo::rerun-if-changed={}", path.display());
        add(&workspace, &path, &mut code)?;
    }
    println!("cargo::rustc-env=CATCHMENT_CODE={:016x}", code.finish());
    Ok(())
}

fn add(workspace: &Path, path: &Path, code: &mut DefaultHasher) -> Result<(), Box<dyn Error>> {
    if path.is_dir() {
        let entries = fs::read_dir(path)?.map(|entry| Ok(entry?.path()));
        let mut entries: Vec<PathBuf> = entries.collect::<Result<_, std::io::Error>>()?;
        entries.sort();
        return entries.iter().try_for_each(|entry| add(workspace, entry, code));
    }
    // Such as the locks of editors, which are links to nowhere.
    if !path.is_file() {
        return Ok(());
    }
    let bytes = fs::read(path)?;
    code.write(path.strip_prefix(workspace)?.as_os_str().as_encoded_bytes());
    code.write_usize(bytes.len());
    code.write(&bytes);
    Ok(())
}
