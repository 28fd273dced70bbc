//! `check --sarif --markdown`: what a pull request shows.

use crate::support::{catchment, copy_folder, error_text};
use catchment_testkit::schema;
use catchment_testkit::workspace::root;
use serde_json::Value;
use std::fs;
use std::path::Path;

fn read_json(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// The demo in a folder of a repository.
fn repository(folder: &Path) {
    fs::create_dir(folder.join(".git")).unwrap();
    copy_folder(&root().join("examples/demo"), &folder.join("orders shop"));
}

#[test]
fn the_findings_of_the_demo_stand_at_their_lines_in_all_formats() {
    let folder = tempfile::tempdir().unwrap();
    repository(folder.path());
    let report = |name: &str| folder.path().join(name);
    let output = catchment()
        .args(["check", "orders shop", "--json", "-o", "check.json"])
        .args(["--sarif", "check.sarif", "--markdown", "check.md"])
        .env("GITHUB_SERVER_URL", "https://github.example")
        .env("GITHUB_REPOSITORY", "acme/shop")
        .env("GITHUB_SHA", "1f2e")
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", error_text(&output));

    let (json, log) = (read_json(&report("check.json")), read_json(&report("check.sarif")));
    assert_eq!(schema::violations(&schema::sarif().unwrap(), &log), Vec::<String>::new());
    assert_eq!(log["runs"][0]["automationDetails"]["id"], "catchment/orders shop/");
    let results = log["runs"][0]["results"].as_array().unwrap();
    let [result] = results.as_slice() else { panic!("{results:#?}") };
    let finding = &json["findings"][0];
    assert_eq!(result["partialFingerprints"]["catchmentFinding/v1"], finding["id"]);
    assert_eq!(result["message"]["text"], format!("{}.", finding["message"].as_str().unwrap()));

    let line = |location: &Value| {
        let place = &location["physicalLocation"];
        let path = place["artifactLocation"]["uri"].as_str().unwrap().replace("%20", " ");
        let number = usize::try_from(place["region"]["startLine"].as_u64().unwrap()).unwrap();
        let text = fs::read_to_string(folder.path().join(path)).unwrap();
        text.lines().nth(number - 1).unwrap().trim().to_owned()
    };
    assert_eq!(line(&result["locations"][0]), "} catch (IOException e) {");
    let related: Vec<_> = result["relatedLocations"].as_array().unwrap().iter().map(line).collect();
    assert_eq!(related, ["long fetched = fetch(article);", "assertEquals(2, cache.lookups());"]);

    let markdown = fs::read_to_string(report("check.md")).unwrap();
    let link = "https://github.example/acme/shop/blob/1f2e/orders%20shop/src/main/java/com/acme/orders/PriceCache.java#L34";
    assert!(markdown.starts_with("### Catchment: 1 finding\n") && markdown.contains(link), "{markdown}");
}

#[test]
fn a_report_that_cannot_be_written_is_told_before_any_work() {
    let folder = tempfile::tempdir().unwrap();
    repository(folder.path());
    for option in ["--sarif", "--markdown"] {
        let output = catchment()
            .args(["check", "orders shop", option, "no/such/folder/report"])
            .current_dir(folder.path())
            .output()
            .unwrap();
        let text = error_text(&output);
        assert!(text.contains("cannot write no/such/folder/report"), "{text}");
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(!folder.path().join("orders shop/.catchment").exists(), "nothing was begun");
    }
}
