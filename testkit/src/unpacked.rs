//! Jars as folders.

use crate::jdk;
use crate::workspace::cached_folder;
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};

/// What a jar holds, unpacked once.
pub fn unpacked(jar: &Path) -> Result<PathBuf> {
    let name = jar.file_stem().unwrap_or_default().to_string_lossy();
    cached_folder("unpacked", &name, |staging| {
        let status = jdk::installed(17)?.command("jar").arg("xf").arg(jar).current_dir(staging).status();
        let unpacked = status.context("cannot start jar")?.success();
        if unpacked { Ok(()) } else { bail!("cannot unpack {}", jar.display()) }
    })
}
