//! The JDKs of this machine: their own images, and compressed ones linked from them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use catchment_program::{JavaHome, LoadOptions, find_java_homes, jdk_image, visit};

/// The JDKs whose image is `lib/modules`. The tests need one; a machine that builds this project has one.
fn modular_jdks() -> Vec<JavaHome> {
    let jdks: Vec<_> = find_java_homes().into_iter().filter(|home| home.feature_version >= 9).collect();
    assert!(!jdks.is_empty(), "no JDK found through JAVA_HOME, PATH or the standard folders; install one");
    jdks
}

fn classes_of(image: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut classes = BTreeMap::new();
    let report = visit(image, &LoadOptions::default(), &mut |class| {
        let name = format!("{}/{}", class.origin.inside(), class.entry);
        assert!(classes.insert(name, class.bytes.to_vec()).is_none(), "{} is there twice", class.place());
    });
    assert_eq!(report.unwrap().problems, []);
    classes
}

#[test]
fn every_class_of_a_jdk_image_is_found() {
    for jdk in modular_jdks() {
        let image = jdk_image(&jdk.path).unwrap();
        let (mut classes, mut objects, mut odd) = (0, 0, Vec::new());
        let report = visit(&image, &LoadOptions::default(), &mut |class| {
            classes += 1;
            let is_object =
                class.origin.inside() == "java.base" && class.expected_name() == "java/lang/Object";
            objects += usize::from(is_object);
            if !class.bytes.starts_with(&[0xca, 0xfe, 0xba, 0xbe]) {
                odd.push(class.place());
            }
        });
        assert_eq!(report.unwrap().problems, []);
        assert!(classes > 20_000, "{classes} classes in {}", image.display());
        assert_eq!(objects, 1);
        assert_eq!(odd, [""; 0]);
    }
}

#[test]
fn compressed_images_give_the_same_classes_as_plain_ones() {
    let jdks: Vec<_> = modular_jdks().into_iter().filter(can_link).collect();
    assert!(!jdks.is_empty(), "no JDK here can link an image: none has jlink together with its jmods folder");
    for jdk in jdks {
        let folder = tempfile::tempdir().unwrap();
        // 0 is plain, 1 shares strings (compact-cp), 2 is zip. New releases warn about these names and know them.
        let links = ["0", "1", "2"].map(|compression| Link::start(&jdk, compression, folder.path()));
        let [plain, shared, zipped] = links.map(|link| classes_of(&link.image()));
        assert!(plain.contains_key("java.base/java/lang/Object.class"));
        assert!(shared == plain, "JDK {} with shared strings", jdk.feature_version);
        assert!(zipped == plain, "JDK {} with zip", jdk.feature_version);
    }
}

/// Since JDK 24 a run time can be linked from itself, without the `jmods` folder.
fn can_link(jdk: &JavaHome) -> bool {
    let has_modules = jdk.path.join("jmods").is_dir() || jdk.feature_version >= 24;
    has_modules && jdk.tool("jlink").is_some()
}

/// A `jlink` at work; several run at once, since each takes seconds.
struct Link {
    process: Child,
    home: PathBuf,
}

impl Link {
    fn start(jdk: &JavaHome, compression: &str, folder: &Path) -> Self {
        let home = folder.join(compression);
        let process = Command::new(jdk.tool("jlink").unwrap())
            .args(["--add-modules", "java.base", &format!("--compress={compression}"), "--output"])
            .arg(&home)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        Self { process, home }
    }

    fn image(self) -> PathBuf {
        let output = self.process.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "jlink failed: {said}");
        jdk_image(&self.home).unwrap()
    }
}
