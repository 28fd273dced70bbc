//! Where the sources of a project's classes lie, as paths from the top of its repository.
//!
//! A class file has the name of its source file and, by its own name, a package. The file is looked for in the module
//! that compiled the class: by the build's own source folders first, then wherever in the module a file of that package
//! and name is. A path is given only if it is the only one.

use crate::maven::pom::Pom;
use crate::root::find_build;
use crate::tree::{GRADLE_FILES, Sources, is_output, outputs_below, visit_tree};
use catchment_pairs::ClassLocation;
use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};

/// Languages whose compilers write class files.
const EXTENSIONS: &[&str] = &["java", "kt", "groovy", "scala", "clj", "aj"];

/// Languages whose files need not lie in the folder of their package.
const FREE_EXTENSIONS: &[&str] = &["kt", "scala", "groovy"];

/// Where builds put sources that they make, below an output folder.
const GENERATED: &[&str] = &["generated-sources", "generated-test-sources", "generated"];

/// All source files of a project's tree.
#[derive(Debug)]
pub struct SourceTree {
    /// The tree that was built: the user's own or a copy of it.
    root: PathBuf,
    /// The user's tree, from the top of its repository.
    from_repository: PathBuf,
    /// Paths from `root`, by file name.
    files: HashMap<OsString, Vec<SourceFile>>,
}

/// A source file by its path from the root of the tree.
#[derive(Debug)]
struct SourceFile {
    path: PathBuf,
    module: PathBuf,
}

/// A module with the folders that its build compiles classes from.
#[derive(Debug)]
struct ModuleFolders<'t> {
    /// From the root of the tree.
    folder: &'t Path,
    /// Name of the source set: `main`, `test`, or what Gradle calls it.
    source_set: String,
    /// As the POM names it for this source set.
    declared: Option<PathBuf>,
}

impl SourceTree {
    /// The sources of the build that `folder` is the top or a module of; `None` if it is neither.
    pub fn of_project(folder: &Path) -> Option<Self> {
        let folder = fs::canonicalize(folder).ok()?;
        let build = find_build(&folder)?;
        Some(Self::read(&build.root, &build.root))
    }

    /// The sources of the build whose output `container`, a class folder or a jar, is; `None` if it is of no build.
    pub fn around(container: &Path) -> Option<Self> {
        container.ancestors().skip(1).find_map(Self::of_project)
    }

    /// Tells whether a class folder or jar lies in the tree.
    pub fn holds(&self, container: &Path) -> bool {
        container.starts_with(&self.root)
    }

    /// Reads the names of the source files below `root`. `original` is the user's tree, of which `root` may be a copy.
    pub fn read(root: &Path, original: &Path) -> Self {
        let mut files: HashMap<OsString, Vec<SourceFile>> = HashMap::new();
        let mut add = |path: PathBuf| {
            let is_source =
                path.extension().is_some_and(|extension| EXTENSIONS.iter().any(|it| extension == *it));
            if let Some(name) = path.file_name().filter(|_| is_source) {
                let name = name.to_owned();
                let module = module_around(root, &path);
                files.entry(name).or_default().push(SourceFile { path, module });
            }
        };
        let mut visit = |folder: &Path| {
            // A folder that cannot be read has no sources that anybody could show.
            let _ = visit_tree(root, folder, &Sources, &mut |path, metadata| {
                if metadata.is_file() {
                    add(path.to_owned());
                }
                Ok(())
            });
        };
        visit(Path::new(""));
        let outputs = outputs_below(root).unwrap_or_default();
        for output in outputs.iter().filter_map(|output| output.strip_prefix(root).ok()) {
            GENERATED.iter().map(|name| output.join(name)).for_each(|folder| visit(&folder));
        }
        let repository = original.ancestors().find(|folder| folder.join(".git").exists()).unwrap_or(original);
        let from_repository = original.strip_prefix(repository).unwrap_or(Path::new("")).to_owned();
        Self { root: root.to_owned(), from_repository, files }
    }

    /// The location of a class of this binary name and source file that was read from `container`, a class folder or a
    /// jar.
    pub fn location_of(&self, class: &str, source_file: Option<&str>, container: &Path) -> ClassLocation {
        let module = self.module_of(container);
        ClassLocation {
            source: source_file
                .and_then(|file| self.find(class, file, module.as_deref(), container))
                .map(|path| self.path_in_repository(path)),
            module: module.as_deref().map(|module| self.path_in_repository(module)),
            ..location_in(container)
        }
    }

    /// The folder of the module that compiled into `container`, from the root of the tree.
    fn module_of(&self, container: &Path) -> Option<PathBuf> {
        let below = container.strip_prefix(&self.root).ok()?;
        let mut folders = below.ancestors();
        let output = folders.find(|folder| is_output(&self.root.join(folder)));
        Some(output.and_then(Path::parent).map_or_else(|| module_around(&self.root, below), Path::to_owned))
    }

    fn find(&self, class: &str, source_file: &str, module: Option<&Path>, container: &Path) -> Option<&Path> {
        let named = self.files.get(OsStr::new(source_file))?;
        let package = class.rsplit_once('.').map_or(String::new(), |(package, _)| package.replace('.', "/"));
        let in_package = Path::new(&package).join(source_file);
        let is_free =
            FREE_EXTENSIONS.iter().any(|it| Path::new(source_file).extension().is_some_and(|own| own == *it));
        let in_folder = |file: &&SourceFile| file.path.ends_with(&in_package);
        let anywhere = |file: &&SourceFile| is_free && !file.path.ends_with(&in_package);
        let Some(module) = module else {
            return only(named.iter().filter(in_folder)).or_else(|| only(named.iter().filter(anywhere)));
        };
        let folders = ModuleFolders::new(&self.root, module, container);
        // A Gradle module need not have a build file; its sources then seem to be of a module around it.
        let own = |file: &&SourceFile| file.path.starts_with(module) && module.starts_with(&file.module);
        for is_placed in [&in_folder as &dyn Fn(&&SourceFile) -> bool, &anywhere] {
            let candidates: Vec<&SourceFile> = named.iter().filter(own).filter(is_placed).collect();
            let compiled = candidates.iter().copied().filter(|file| folders.compile(&file.path));
            match only(compiled) {
                None if candidates.is_empty() => {}
                None => return only(candidates.into_iter()),
                found => return found,
            }
        }
        // Modules may compile sources that lie beside them.
        only(named.iter().filter(in_folder))
    }

    /// A path of the tree from the top of the repository.
    fn path_in_repository(&self, path: &Path) -> String {
        let path: PathBuf = self.from_repository.join(path).components().collect();
        if path.as_os_str().is_empty() { ".".to_owned() } else { path.to_string_lossy().into_owned() }
    }
}

impl<'t> ModuleFolders<'t> {
    fn new(root: &Path, folder: &'t Path, container: &Path) -> Self {
        let name = container.file_name().unwrap_or_default().to_string_lossy();
        let source_set = match &*name {
            "classes" => "main".to_owned(),
            "test-classes" => "test".to_owned(),
            jar if jar.ends_with("-tests.jar") => "test".to_owned(),
            jar if jar.ends_with(".jar") => "main".to_owned(),
            set => set.to_owned(),
        };
        let pom = Pom::in_folder(&root.join(folder));
        let declared = pom.and_then(|pom| match &*source_set {
            "main" => pom.source_folder,
            "test" => pom.test_source_folder,
            _ => None,
        });
        let declared = declared.filter(|path| !path.contains("${")).map(|path| folder.join(path));
        Self { folder, source_set, declared: declared.map(|path| path.components().collect()) }
    }

    /// Tells whether the build compiles this file into the classes of the source set.
    fn compile(&self, file: &Path) -> bool {
        if let Some(declared) = &self.declared
            && file.starts_with(declared)
        {
            return true;
        }
        let Ok(below) = file.strip_prefix(self.folder) else { return false };
        let mut names = below.components().map(|component| component.as_os_str().to_string_lossy());
        match (names.next().as_deref(), names.next().as_deref()) {
            (Some("src"), Some(set)) => {
                let is_resource = names.next().is_some_and(|language| language == "resources");
                set == self.source_set && !is_resource
            }
            (Some("target"), Some("generated-sources")) => self.source_set == "main",
            (Some("target"), Some("generated-test-sources")) => self.source_set == "test",
            (Some("build"), Some("generated")) => names.any(|name| name == self.source_set.as_str()),
            _ => false,
        }
    }
}

/// The location of a class of this binary name and source file that was read from `container`, in a project with these
/// sources or in none.
pub fn location_of(
    sources: Option<&SourceTree>,
    class: &str,
    source_file: Option<&str>,
    container: &Path,
) -> ClassLocation {
    match sources {
        Some(sources) => sources.location_of(class, source_file, container),
        None => location_in(container),
    }
}

/// The container's part of a location: of a jar its name, of a class folder nothing.
fn location_in(container: &Path) -> ClassLocation {
    let is_jar = container.is_file() || container.extension().is_some_and(|extension| extension == "jar");
    let name = container.file_name().filter(|_| is_jar);
    ClassLocation { jar: name.map(|name| name.to_string_lossy().into_owned()), ..ClassLocation::default() }
}

/// The nearest folder around `path` with a build file, from `root`; the root if there is none.
fn module_around(root: &Path, path: &Path) -> PathBuf {
    let has_build = |folder: &&Path| {
        let folder = root.join(folder);
        folder.join("pom.xml").is_file() || GRADLE_FILES.iter().any(|file| folder.join(file).is_file())
    };
    path.ancestors().skip(1).find(has_build).unwrap_or(Path::new("")).to_owned()
}

/// The path of the file if there is exactly one.
fn only<'f>(mut files: impl Iterator<Item = &'f SourceFile>) -> Option<&'f Path> {
    let first = files.next()?;
    files.next().is_none().then_some(first.path.as_path())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tree with these empty files; POMs may have content.
    fn tree(files: &[&str], poms: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (file, content) in files.iter().map(|file| (*file, "")).chain(poms.iter().copied()) {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
        folder
    }

    /// Source and module of a class whose folder is in this tree.
    fn found(
        tree: &tempfile::TempDir,
        class: &str,
        file: &str,
        container: &str,
    ) -> (Option<String>, Option<String>) {
        let sources = SourceTree::read(tree.path(), tree.path());
        let place = sources.location_of(class, Some(file), &tree.path().join(container));
        (place.source, place.module)
    }

    fn place(source: &str, module: &str) -> (Option<String>, Option<String>) {
        (Some(source.to_owned()), Some(module.to_owned()))
    }

    fn nowhere(module: &str) -> (Option<String>, Option<String>) {
        (None, Some(module.to_owned()))
    }

    const PROJECT: &str = "<project/>";

    #[test]
    fn a_class_belongs_to_the_module_that_compiled_it() {
        let files = [
            "core/src/main/java/com/acme/Store.java",
            "core/target/classes/com/acme/Store.class",
            "app/src/main/java/com/acme/Store.java",
            "app/target/classes/com/acme/Store.class",
        ];
        let tree = tree(&files, &[("pom.xml", PROJECT), ("core/pom.xml", PROJECT), ("app/pom.xml", PROJECT)]);
        for module in ["core", "app"] {
            let source = format!("{module}/src/main/java/com/acme/Store.java");
            let classes = format!("{module}/target/classes");
            assert_eq!(found(&tree, "com.acme.Store", "Store.java", &classes), place(&source, module));
            assert_eq!(
                found(&tree, "com.acme.Store$Inner$1", "Store.java", &classes),
                place(&source, module)
            );
            assert_eq!(found(&tree, "com.acme.Helper", "Store.java", &classes), place(&source, module));
            assert_eq!(found(&tree, "com.other.Store", "Store.java", &classes), nowhere(module));
            assert_eq!(found(&tree, "com.acme.Gone", "Gone.java", &classes), nowhere(module));
        }
        let elsewhere = SourceTree::read(tree.path(), tree.path());
        let lost =
            elsewhere.location_of("com.acme.Store", Some("Store.java"), Path::new("/elsewhere/classes"));
        assert_eq!(lost, ClassLocation::default(), "which of two is not known");
    }

    #[test]
    fn tests_and_application_may_have_files_of_one_name() {
        let files =
            ["src/main/java/a/Util.java", "src/test/java/a/Util.java", "src/test/resources/x/a/Util.java"];
        let tree =
            tree(&files, &[("pom.xml", PROJECT), ("target/classes/x", ""), ("target/test-classes/x", "")]);
        assert_eq!(found(&tree, "a.Util", "Util.java", "target/classes"), place(files[0], "."));
        assert_eq!(found(&tree, "a.Util", "Util.java", "target/test-classes"), place(files[1], "."));
    }

    #[test]
    fn a_source_that_is_not_the_only_one_is_not_known() {
        let files = ["src/main/java/a/B.java", "src/main/java9/a/B.java", "target/classes/a/B.class"];
        let tree = tree(&files, &[("pom.xml", PROJECT)]);
        assert_eq!(found(&tree, "a.B", "B.java", "target/classes"), nowhere("."));
    }

    #[test]
    fn source_folders_of_a_pom_come_first() {
        let pom = "<project><build><sourceDirectory>src/java</sourceDirectory>\
                   <testSourceDirectory>src/tests</testSourceDirectory></build></project>";
        let files = ["src/java/a/B.java", "src/tests/a/B.java", "old/a/B.java", "src/java/C.java"];
        let tree = tree(&files, &[("pom.xml", pom), ("target/classes/x", ""), ("target/test-classes/x", "")]);
        assert_eq!(found(&tree, "a.B", "B.java", "target/classes"), place(files[0], "."));
        assert_eq!(found(&tree, "a.B", "B.java", "target/test-classes"), place(files[1], "."));
        assert_eq!(found(&tree, "C", "C.java", "target/classes"), place(files[3], "."));
    }

    #[test]
    fn kotlin_files_need_neither_the_name_nor_the_folder_of_their_class() {
        let files = [
            "src/main/kotlin/com/acme/Shapes.kt",
            "src/main/kotlin/io/Files.kt",
            "src/main/java/com/acme/Misplaced.java",
            "build/classes/kotlin/main/com/acme/Circle.class",
        ];
        let tree = tree(&files, &[("build.gradle.kts", "")]);
        let classes = "build/classes/kotlin/main";
        assert_eq!(found(&tree, "com.acme.Circle", "Shapes.kt", classes), place(files[0], "."));
        assert_eq!(found(&tree, "com.acme.io.FilesKt", "Files.kt", classes), place(files[1], "."));
        assert_eq!(found(&tree, "com.Misplaced", "Misplaced.java", classes), nowhere("."));
    }

    #[test]
    fn gradle_modules_need_no_build_file_and_may_have_more_source_sets() {
        let files = [
            "lib/src/main/java/a/B.java",
            "lib/src/integrationTest/java/a/B.java",
            "lib/build/classes/java/main/a/B.class",
            "lib/build/classes/java/integrationTest/a/B.class",
            "app/src/main/java/a/B.java",
            "app/build/classes/java/main/a/B.class",
        ];
        let tree = tree(&files, &[("settings.gradle", "")]);
        assert_eq!(found(&tree, "a.B", "B.java", "lib/build/classes/java/main"), place(files[0], "lib"));
        let integration = found(&tree, "a.B", "B.java", "lib/build/classes/java/integrationTest");
        assert_eq!(integration, place(files[1], "lib"));
        assert_eq!(found(&tree, "a.B", "B.java", "app/build/classes/java/main"), place(files[4], "app"));
    }

    #[test]
    fn generated_sources_are_sources() {
        let maven = ["target/generated-sources/annotations/a/Made.java", "target/classes/a/Made.class"];
        let maven = tree(&maven, &[("pom.xml", PROJECT)]);
        let source = "target/generated-sources/annotations/a/Made.java";
        assert_eq!(found(&maven, "a.Made", "Made.java", "target/classes"), place(source, "."));
        let source = "build/generated/sources/annotationProcessor/java/main/a/Made.java";
        let gradle = tree(&[source, "build/classes/java/main/a/Made.class"], &[("build.gradle", "")]);
        assert_eq!(found(&gradle, "a.Made", "Made.java", "build/classes/java/main"), place(source, "."));
    }

    #[test]
    fn paths_begin_at_the_top_of_the_repository() {
        let files = [
            "r/.git/HEAD",
            "r/java/pom.xml",
            "r/java/core/src/main/java/A.java",
            "r/java/.catchment/build/pom.xml",
            "r/java/.catchment/build/core/pom.xml",
            "r/java/.catchment/build/core/src/main/java/A.java",
            "r/java/.catchment/build/core/target/classes/A.class",
        ];
        let tree = tree(&files, &[]);
        let original = tree.path().join("r/java");
        let copy = original.join(".catchment/build");
        let sources = SourceTree::read(&copy, &original);
        let found = sources.location_of("A", Some("A.java"), &copy.join("core/target/classes"));
        let expected = ClassLocation {
            source: Some("java/core/src/main/java/A.java".to_owned()),
            module: Some("java/core".to_owned()),
            jar: None,
        };
        assert_eq!(found, expected);
    }

    #[test]
    fn a_class_of_a_jar_has_its_name() {
        let tree = tree(
            &["lib/tool.jar", "core/target/core-1.jar", "core/src/main/java/A.java"],
            &[("core/pom.xml", PROJECT)],
        );
        let sources = SourceTree::read(tree.path(), tree.path());
        let own = sources.location_of("A", Some("A.java"), &tree.path().join("core/target/core-1.jar"));
        assert_eq!(own.jar.as_deref(), Some("core-1.jar"));
        assert_eq!(
            (own.source.as_deref(), own.module.as_deref()),
            (Some("core/src/main/java/A.java"), Some("core"))
        );
        let library = sources.location_of("t.Tool", Some("Tool.java"), Path::new("/repository/tool-2.jar"));
        assert_eq!(library, ClassLocation { jar: Some("tool-2.jar".to_owned()), ..ClassLocation::default() });
    }
}
