//! How a JVM was started, written down by the agent in it.

use crate::harness::{agent_argument, classes, javas};
use catchment_protocol::equipment::Equipment;
use catchment_protocol::log;
use catchment_protocol::options::AgentOptions;
use catchment_protocol::records::{Launch, Record};
use catchment_testkit::jdk;
use std::fs;
use std::path::Path;

fn launch_in(results: &Path) -> Launch {
    let files = fs::read_dir(results).expect("a folder").map(|entry| entry.expect("an entry").path());
    let log_file = files.into_iter().find(|file| file.extension().is_some_and(|it| it == "log"));
    let log = fs::read(log_file.expect("a log")).expect("readable");
    let log = log::read(&log).expect("a log of this version");
    let launch = log.records.into_iter().find_map(|record| match record {
        Record::Launched(launch) => Some(launch),
        _ => None,
    });
    launch.expect("a launch was recorded")
}

#[test]
fn everything_needed_to_start_the_jvm_again_is_written_down() {
    let classes = classes();
    for java in javas() {
        let folder = tempfile::tempdir().unwrap();
        let results = folder.path().join("results");
        fs::create_dir(&results).unwrap();
        let content = format!("-cp \"{}\"\n", classes.driver.display());
        fs::write(folder.path().join("arguments"), &content).unwrap();
        let options = AgentOptions {
            results: results.clone(),
            equipment: Equipment::LAUNCH,
            ..AgentOptions::default()
        };
        let mut command = jdk::runtime(java).unwrap().command("java");
        command.arg(agent_argument(options)).args(["-Dodd=a b", "@arguments", "driver.Launched", "\u{e4}"]);
        let status = command.current_dir(folder.path()).env("SOME_NAME", "some value").status().unwrap();
        assert!(status.success());
        fs::remove_file(folder.path().join("arguments")).unwrap();

        let launch = launch_in(&results);
        assert!(launch.executable.ends_with(b"/bin/java"), "{launch:?}");
        let arguments: Vec<_> = launch.arguments.iter().map(|it| String::from_utf8_lossy(it)).collect();
        assert_eq!(arguments[1..], ["-Dodd=a b", "@arguments", "driver.Launched", "\u{e4}"]);
        assert!(launch.environment.contains(&(b"SOME_NAME".to_vec(), b"some value".to_vec())));
        let working_folder = folder.path().canonicalize().unwrap();
        assert_eq!(launch.working_folder, working_folder.as_os_str().as_encoded_bytes());
        let kept = launch.files.iter().find(|(path, _)| path.ends_with(b"/arguments"));
        assert_eq!(kept.map(|(_, kept)| kept.as_slice()), Some(content.as_bytes()));
    }
}
