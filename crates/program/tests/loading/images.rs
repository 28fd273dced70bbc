//! JDK images made by hand: order, byte order, compression, and what is refused.

use catchment_program::{Limits, LoadOptions};

use crate::image_builder::{ImageBuilder, Order, class_with_pool, packed_pool};
use crate::{Loaded, Place, class_bytes};

fn load(builder: &ImageBuilder) -> Loaded {
    load_with(builder, &LoadOptions::default())
}

fn load_with(builder: &ImageBuilder, options: &LoadOptions) -> Loaded {
    let place = Place::new();
    place.write("lib/modules", builder.build());
    place.load("lib/modules", options)
}

#[test]
fn classes_of_modules_are_read_in_both_byte_orders() {
    for order in [Order::Little, Order::Big] {
        let mut builder = ImageBuilder::new(order);
        let object = class_bytes("object");
        builder.add("java.base", "java/lang", "Object", "class", &object);
        builder.add("java.base", "", "module-info", "class", &class_bytes("module"));
        builder.add("java.base", "java/lang", "readme", "txt", b"no class");
        builder.add("", "packages", "java.lang", "", b"a folder of the index");
        builder.add("modules", "java.base/java/lang", "Object", "class", b"another one");
        builder.add("java.sql", "java/sql", "Driver", "class", &class_bytes("driver"));
        let loaded = load(&builder);
        let expected = [
            "lib/modules!/java.base!/java/lang/Object.class",
            "lib/modules!/java.base!/module-info.class",
            "lib/modules!/java.sql!/java/sql/Driver.class",
        ];
        assert_eq!(loaded.places(), expected);
        assert_eq!(loaded.classes[0].bytes, object);
        assert_eq!(loaded.classes[0].name, "java/lang/Object");
        assert_eq!(loaded.problems, [""; 0]);
    }
}

#[test]
fn packed_classes_come_back_as_they_were_in_both_byte_orders() {
    for order in [Order::Little, Order::Big] {
        let mut builder = ImageBuilder::new(order);
        let class = class_with_pool();
        let zipped = builder.zip_layer(&class);
        builder.add_packed("Zipped", &zipped, class.len());
        let pool = packed_pool(&mut builder);
        let shared = builder.layer("compact-cp", &pool, class.len());
        builder.add_packed("Shared", &shared, class.len());
        let both = builder.zip_layer(&shared);
        builder.add_packed("Both", &both, class.len());
        let loaded = load(&builder);
        assert_eq!(loaded.problems, [""; 0]);
        assert_eq!(loaded.classes.len(), 3);
        for loaded in loaded.classes {
            assert_eq!(loaded.bytes, class, "{}", loaded.place);
        }
    }
}

/// One packed class that must be refused for `reason`, beside one that is fine.
fn check_refused(pack: impl FnOnce(&mut ImageBuilder) -> (Vec<u8>, usize), reason: &str) {
    let mut builder = ImageBuilder::new(Order::Little);
    let (packed, unpacked_size) = pack(&mut builder);
    builder.add_packed("Bad", &packed, unpacked_size);
    builder.add("java.base", "java/lang", "Good", "class", &class_bytes(""));
    let limits = Limits { class_bytes: 10_000, ..Limits::default() };
    let loaded = load_with(&builder, &LoadOptions { limits, ..LoadOptions::default() });
    assert_eq!(loaded.places(), ["lib/modules!/java.base!/java/lang/Good.class"]);
    assert_eq!(loaded.problems, [format!("lib/modules!/java.base!/java/lang/Bad.class: {reason}")]);
}

#[test]
fn unknown_packers_are_named() {
    let reason = "compressed by an unknown method (zstd)";
    check_refused(|builder| (builder.layer("zstd", b"...", 3), 3), reason);
}

#[test]
fn classes_that_unpack_to_more_than_the_limit_are_refused() {
    let reason = "larger than 10000 bytes";
    check_refused(|builder| (builder.zip_layer(&[0; 1_000_000]), 1_000_000), reason);
    check_refused(|_| (vec![0; 20_000], 20_000), reason);
}

#[test]
fn a_string_used_again_and_again_does_not_pass_the_limit() {
    let pack = |builder: &mut ImageBuilder| {
        let long = builder.string(&"x".repeat(5_000)).to_be_bytes();
        let mut packed = vec![0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 61, 0xff, 0xff];
        for _ in 0..1_000 {
            packed.push(23);
            packed.extend(long);
        }
        (builder.layer("compact-cp", &packed, 5_003_010), 5_003_010)
    };
    check_refused(pack, "larger than 10000 bytes");
}

#[test]
fn layers_without_end_are_refused() {
    let pack = |builder: &mut ImageBuilder| {
        let mut packed = class_bytes("");
        for _ in 0..20 {
            packed = builder.zip_layer(&packed);
        }
        (packed, 4)
    };
    check_refused(pack, "damaged JDK image: a class is compressed too many times");
}

#[test]
fn sizes_that_do_not_fit_the_index_are_refused() {
    let class = class_bytes("some bytes");
    let announced = "damaged JDK image: a class has another size than its index entry says";
    check_refused(|builder| (builder.zip_layer(&class), 3), announced);
    check_refused(|_| (class.clone(), 3), announced);
}

#[test]
fn an_image_of_another_major_version_is_an_error() {
    let place = Place::new();
    let mut image = ImageBuilder::new(Order::Little).build();
    image[6] = 2;
    let path = place.write("modules", image);
    let error = place.relative(&crate::error_of(&path));
    assert_eq!(error, "cannot read modules: JDK image of unknown version 2.0");
}
