//! The `catchment` binary that the commands of xtask run.

use anyhow::{Context, Result, bail};
use catchment_testkit::workspace;
use std::path::PathBuf;
use std::process::Command;

/// Builds the CLI into the folder where this program lies.
pub(crate) fn build_catchment() -> Result<PathBuf> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args(["build", "--release", "--package", "catchment"])
        .current_dir(workspace::root())
        .status()
        .context("cannot start cargo")?;
    if !status.success() {
        bail!("cannot build catchment");
    }
    let this = std::env::current_exe().context("cannot find this program")?;
    let binary = this.with_file_name(format!("catchment{}", std::env::consts::EXE_SUFFIX));
    if !binary.is_file() {
        bail!("cargo built no {}; start this command with `cargo xtask`", binary.display());
    }
    Ok(binary)
}
