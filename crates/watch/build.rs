//! Builds what runs inside the tested JVM and hands it to `src/embedded.rs`: the agent library, by a second cargo with
//! its own target folder, and the Java runtime and the test driver, by javac. So the finished binary needs nothing
//! beside it.

#[path = "build_jar.rs"]
mod build_jar;

use std::env;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Everything the agent, the runtime and the driver are made of.
const SOURCES: [&str; 8] = [
    "Cargo.toml",
    "Cargo.lock",
    "crates/agent",
    "crates/classfile",
    "crates/pairs",
    "crates/protocol",
    "crates/weave",
    "jvm",
];

type BuildResult<T> = Result<T, Box<dyn Error>>;

fn main() -> BuildResult<()> {
    let out = variable("OUT_DIR")?;
    let workspace = variable("CARGO_MANIFEST_DIR")?.join("../..").canonicalize()?;
    for source in SOURCES {
        println!("cargo::rerun-if-changed={}", workspace.join(source).display());
    }
    for name in ["JAVA_HOME", "CARGO_NET_OFFLINE"] {
        println!("cargo::rerun-if-env-changed={name}");
    }
    let agent = build_agent(&workspace, &out)?;
    let runtime = build_runtime(&workspace, &out)?;
    let driver = build_driver(&workspace, &out)?;
    println!("cargo::rustc-env=CATCHMENT_AGENT={}", agent.display());
    println!("cargo::rustc-env=CATCHMENT_RUNTIME={}", runtime.display());
    println!("cargo::rustc-env=CATCHMENT_DRIVER={}", driver.display());
    Ok(())
}

fn variable(name: &str) -> BuildResult<PathBuf> {
    env::var_os(name).map(PathBuf::from).ok_or_else(|| format!("cargo did not set {name}").into())
}

fn build_agent(workspace: &Path, out: &Path) -> BuildResult<PathBuf> {
    let target = env::var("TARGET")?;
    // <target>/<profile>/build/<package>/out: all profiles share one agent.
    let target_folder = out.ancestors().nth(4).unwrap_or(out).join("catchment-agent");
    // Everything is usually there already; the network is asked only when it is not, and only if it may be.
    if let Err(error) = run(agent_cargo(workspace, &target, &target_folder)?.arg("--offline")) {
        if env::var_os("CARGO_NET_OFFLINE").is_some_and(|value| value == "true") {
            return Err(error);
        }
        run(&mut agent_cargo(workspace, &target, &target_folder)?)?;
    }
    let library = env::consts::DLL_PREFIX.to_owned() + "catchment_agent" + env::consts::DLL_SUFFIX;
    let built = target_folder.join(target).join("release").join(&library);
    let copy = out.join(&library);
    // A copy, because another build may replace the shared file while this one embeds it.
    fs::copy(&built, &copy).map_err(|error| format!("cannot copy {}: {error}", built.display()))?;
    Ok(copy)
}

/// The second cargo must not share the target folder of the first, which holds its lock; nor its flags, so that the
/// agent is the same library under build, test and clippy.
fn agent_cargo(workspace: &Path, target: &str, target_folder: &Path) -> BuildResult<Command> {
    let mut cargo = Command::new(variable("CARGO")?);
    cargo.current_dir(workspace).args(["build", "--release", "--locked", "--package", "catchment-agent"]);
    cargo.args(["--target", target]).arg("--target-dir").arg(target_folder);
    for (name, _) in env::vars_os() {
        if is_of_the_outer_build(&name.to_string_lossy()) {
            cargo.env_remove(name);
        }
    }
    Ok(cargo)
}

fn is_of_the_outer_build(name: &str) -> bool {
    let is_cargo = name.starts_with("CARGO_");
    let is_kept =
        ["CARGO_HOME", "CARGO_NET_", "CARGO_HTTP_", "CARGO_REGISTR", "CARGO_SOURCE_", "CARGO_TERM_"]
            .iter()
            .any(|kept| name.starts_with(kept));
    let is_flag =
        ["RUSTFLAGS", "RUSTC_WRAPPER", "RUSTC_WORKSPACE_WRAPPER", "RUSTC", "RUSTDOC", "LLVM_PROFILE_FILE"];
    (is_cargo && !is_kept) || is_flag.contains(&name)
}

fn build_runtime(workspace: &Path, out: &Path) -> BuildResult<PathBuf> {
    let jvm = workspace.join("jvm");
    let sources = ["runtime", "stubs/java", "stubs/jdk"].map(|part| jvm.join(part));
    let classes = compile(&sources, &out.join("runtime-classes"))?;
    let packed = out.join("runtime.classes");
    fs::write(&packed, pack(&classes)?)?;
    Ok(packed)
}

/// Knows the agent only as `Worker`, and test frameworks only as stubs.
fn build_driver(workspace: &Path, out: &Path) -> BuildResult<PathBuf> {
    let jvm = workspace.join("jvm");
    let sources = ["driver", "runtime/catchment/runtime/Worker.java", "stubs/junit", "stubs/org"];
    let classes = compile(&sources.map(|part| jvm.join(part)), &out.join("driver-classes"))?;
    let mut files = Vec::new();
    collect(&classes.join("catchment/driver"), "class", &mut files)?;
    let mut named = Vec::new();
    for file in files {
        named.push((file.strip_prefix(&classes)?.to_owned(), fs::read(&file)?));
    }
    let jar = out.join("catchment-driver.jar");
    fs::write(&jar, build_jar::jar(&named)?)?;
    Ok(jar)
}

/// Compiles source files and all that lie in source folders into a folder of class files.
fn compile(sources: &[PathBuf], classes: &Path) -> BuildResult<PathBuf> {
    if classes.exists() {
        fs::remove_dir_all(classes)?;
    }
    fs::create_dir_all(classes)?;
    let mut files = Vec::new();
    for source in sources {
        if source.is_dir() {
            collect(source, "java", &mut files)?;
        } else {
            files.push(source.clone());
        }
    }
    let mut javac = Command::new(find_javac()?);
    javac.args(["--release", "8", "-Xlint:-options", "-g", "-proc:none", "-d"]).arg(classes).args(files);
    javac.env_remove("JAVA_TOOL_OPTIONS");
    run(&mut javac)?;
    Ok(classes.to_owned())
}

/// The format that `catchment_protocol::options::unpack_runtime` reads. The stubs of JDK classes stay out.
fn pack(classes: &Path) -> BuildResult<Vec<u8>> {
    let mut files = Vec::new();
    collect(&classes.join("catchment"), "class", &mut files)?;
    let mut packed = Vec::new();
    for file in files {
        let bytes = fs::read(&file)?;
        let name = file.strip_prefix(classes)?.with_extension("");
        packed.extend_from_slice(format!("{} {}\n", name.display(), bytes.len()).as_bytes());
        packed.extend_from_slice(&bytes);
    }
    Ok(packed)
}

fn collect(folder: &Path, extension: &str, found: &mut Vec<PathBuf>) -> BuildResult<()> {
    let mut entries = fs::read_dir(folder)?.collect::<Result<Vec<_>, _>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, extension, found)?;
        } else if path.extension().is_some_and(|each| each == extension) {
            found.push(path);
        }
    }
    Ok(())
}

fn find_javac() -> BuildResult<PathBuf> {
    let home = env::var_os("JAVA_HOME").map(|home| PathBuf::from(home).join("bin"));
    let path = env::var_os("PATH").unwrap_or_default();
    let javac = format!("javac{}", env::consts::EXE_SUFFIX);
    let found = home
        .into_iter()
        .chain(env::split_paths(&path))
        .map(|folder| folder.join(&javac))
        .find(|p| p.is_file());
    found.ok_or_else(|| "building catchment needs a JDK: no javac in JAVA_HOME/bin or on the PATH".into())
}

fn run(command: &mut Command) -> BuildResult<()> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|error| format!("cannot run {program}: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!("{program} failed ({}):\n{}", output.status, String::from_utf8_lossy(&output.stderr)).into())
}
