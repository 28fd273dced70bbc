//! JDK images of a few hundred bytes, made by hand so that tests can say what is wrong with them.

use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;

use crate::class_bytes;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    Little,
    Big,
}

/// Collects resources; [`Self::build`] lays out the file.
pub(crate) struct ImageBuilder {
    order: Order,
    offsets: Vec<u32>,
    locations: Vec<u8>,
    strings: Vec<u8>,
    resources: Vec<u8>,
}

impl ImageBuilder {
    pub(crate) fn new(order: Order) -> Self {
        // Offset 0 is the empty string, as in real images: an absent attribute means "".
        Self { order, offsets: vec![], locations: vec![], strings: vec![0], resources: vec![] }
    }

    /// The offset of a new string.
    pub(crate) fn string(&mut self, text: &str) -> u32 {
        let offset = self.strings.len() as u32;
        self.strings.extend_from_slice(text.as_bytes());
        self.strings.push(0);
        offset
    }

    /// A resource stored as it is.
    pub(crate) fn add(&mut self, module: &str, parent: &str, base: &str, extension: &str, bytes: &[u8]) {
        let names = [module, parent, base, extension].map(|name| self.string(name));
        let place = [self.resources.len() as u32, 0, bytes.len() as u32];
        self.locate([names.as_slice(), &place].concat());
        self.resources.extend_from_slice(bytes);
    }

    /// A class of `java.base` stored packed.
    pub(crate) fn add_packed(&mut self, base: &str, packed: &[u8], unpacked_size: usize) {
        let names = ["java.base", "java/lang", base, "class"].map(|name| self.string(name));
        let place = [self.resources.len() as u32, packed.len() as u32, unpacked_size as u32];
        self.locate([names.as_slice(), &place].concat());
        self.resources.extend_from_slice(packed);
    }

    /// One layer of compression around `packed`.
    pub(crate) fn layer(&mut self, packer: &str, packed: &[u8], unpacked_size: usize) -> Vec<u8> {
        let packer = self.string(packer);
        let mut layer = self.u32(0xcafe_fafa);
        layer.extend(self.u64(packed.len() as u64));
        layer.extend(self.u64(unpacked_size as u64));
        layer.extend(self.u32(packer));
        layer.extend(self.u32(0));
        layer.push(1);
        layer.extend_from_slice(packed);
        layer
    }

    pub(crate) fn zip_layer(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(bytes).unwrap();
        self.layer("zip", &encoder.finish().unwrap(), bytes.len())
    }

    pub(crate) fn build(&self) -> Vec<u8> {
        let table_length = self.offsets.len() as u32;
        let (locations, strings) = (self.locations.len() as u32, self.strings.len() as u32);
        let header = [0xcafe_dada, 1 << 16, 0, table_length, table_length, locations, strings];
        let mut image: Vec<u8> = header.iter().flat_map(|field| self.u32(*field)).collect();
        let redirects = self.offsets.iter().map(|_| 0);
        image.extend(redirects.chain(self.offsets.iter().copied()).flat_map(|entry| self.u32(entry)));
        image.extend_from_slice(&self.locations);
        image.extend_from_slice(&self.strings);
        image.extend_from_slice(&self.resources);
        image
    }

    /// Attributes 1 to 7; a zero is left out, as `jlink` does.
    fn locate(&mut self, attributes: Vec<u32>) {
        self.offsets.push(self.locations.len() as u32);
        for (kind, value) in (1u8..).zip(attributes) {
            if value != 0 {
                self.locations.push(kind << 3 | 3);
                self.locations.extend_from_slice(&value.to_be_bytes());
            }
        }
        self.locations.push(0);
    }

    fn u32(&self, value: u32) -> Vec<u8> {
        if self.order == Order::Little { value.to_le_bytes().to_vec() } else { value.to_be_bytes().to_vec() }
    }

    fn u64(&self, value: u64) -> Vec<u8> {
        if self.order == Order::Little { value.to_le_bytes().to_vec() } else { value.to_be_bytes().to_vec() }
    }
}

/// A class with a constant pool: a long, a string, a descriptor, and something behind the pool.
pub(crate) fn class_with_pool() -> Vec<u8> {
    let mut class = vec![0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 61, 0, 6];
    class.extend([5, 1, 2, 3, 4, 5, 6, 7, 8]);
    for text in ["hello", "(Ljava/util/List;ILDefault;)Lcom/acme/A;"] {
        class.extend([1, 0, text.len() as u8]);
        class.extend(text.as_bytes());
    }
    class.extend([7, 0, 3]);
    class.extend(b"the rest of the class");
    class
}

/// [`class_with_pool`] as the packer `compact-cp` writes it.
pub(crate) fn packed_pool(builder: &mut ImageBuilder) -> Vec<u8> {
    let mut packed = vec![0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 61, 0, 6];
    packed.extend([5, 1, 2, 3, 4, 5, 6, 7, 8]);
    packed.push(23);
    packed.extend(compact_int(builder.string("hello")));
    packed.push(25);
    packed.extend(compact_int(builder.string("(L;IL;)L;")));
    let names = ["java/util", "List", "", "Default", "com/acme", "A"];
    let names: Vec<u8> = names.iter().flat_map(|name| compact_int(builder.string(name))).collect();
    packed.extend(compact_int(names.len() as u32));
    packed.extend(names);
    packed.extend([7, 0, 3]);
    packed.extend(b"the rest of the class");
    packed
}

/// The shortest of the four encodings.
fn compact_int(value: u32) -> Vec<u8> {
    let bytes = value.to_be_bytes();
    match value {
        0..0x20 => vec![0x80 | 1 << 5 | bytes[3]],
        0x20..0x2000 => vec![0x80 | 2 << 5 | bytes[2], bytes[3]],
        0x2000..0x20_0000 => vec![0x80 | 3 << 5 | bytes[1], bytes[2], bytes[3]],
        _ => bytes.to_vec(),
    }
}

/// One resource of every kind, the largest class last.
pub(crate) fn sample_image() -> Vec<u8> {
    let mut builder = ImageBuilder::new(Order::Little);
    builder.add("java.base", "java/lang", "Plain", "class", &class_bytes("plain"));
    let class = class_with_pool();
    let pool = packed_pool(&mut builder);
    let pool = builder.layer("compact-cp", &pool, class.len());
    builder.add_packed("Shared", &pool, class.len());
    let zipped = builder.zip_layer(&pool);
    builder.add_packed("SharedAndZipped", &zipped, class.len());
    builder.add("java.base", "java/lang", "Last", "class", &class);
    builder.build()
}
