//! Builds small class files byte by byte, so that tests say exactly what is in them.

pub(crate) fn u2(value: usize) -> [u8; 2] {
    u16::try_from(value).expect("fits").to_be_bytes()
}

pub(crate) fn u4(value: usize) -> [u8; 4] {
    u32::try_from(value).expect("fits").to_be_bytes()
}

/// One class with one static method `m()V`.
pub(crate) struct Builder {
    pub(crate) major: u16,
    pub(crate) minor: u16,
    pub(crate) code: Vec<u8>,
    /// (start, end, handler, catch type)
    pub(crate) exceptions: Vec<[usize; 4]>,
    /// Attributes of the code: name and contents.
    pub(crate) attributes: Vec<(&'static str, Vec<u8>)>,
}

/// Index of `java/lang/Object` in the pool of every built class.
pub(crate) const OBJECT: usize = 4;

impl Builder {
    pub(crate) fn new(code: &[u8]) -> Self {
        Self { major: 52, minor: 0, code: code.to_vec(), exceptions: Vec::new(), attributes: Vec::new() }
    }

    pub(crate) fn with(mut self, name: &'static str, contents: &[u8]) -> Self {
        self.attributes.push((name, contents.to_vec()));
        self
    }

    pub(crate) fn catching(mut self, row: [usize; 4]) -> Self {
        self.exceptions.push(row);
        self
    }

    pub(crate) fn build(&self) -> Vec<u8> {
        let texts = ["T", "java/lang/Object", "m", "()V", "Code"];
        let mut pool = Vec::new();
        let utf8 = |pool: &mut Vec<u8>, text: &str| {
            pool.push(1);
            pool.extend(u2(text.len()));
            pool.extend(text.as_bytes());
        };
        utf8(&mut pool, texts[0]); // 1
        pool.extend([7, 0, 1]); // 2: class T
        utf8(&mut pool, texts[1]); // 3
        pool.extend([7, 0, 3]); // 4: class Object
        texts[2..].iter().for_each(|text| utf8(&mut pool, text)); // 5, 6, 7
        self.attributes.iter().for_each(|(name, _)| utf8(&mut pool, name)); // 8...
        let count = 8 + self.attributes.len();

        let mut out = vec![0xCA, 0xFE, 0xBA, 0xBE];
        out.extend(self.minor.to_be_bytes());
        out.extend(self.major.to_be_bytes());
        out.extend(u2(count));
        out.extend(pool);
        out.extend([0, 0x21, 0, 2, 0, 4, 0, 0, 0, 0]); // public super, T, Object, no interfaces, no fields
        out.extend([0, 1, 0, 9, 0, 5, 0, 6, 0, 1]); // one method: public static m()V, one attribute
        let contents = self.code_contents();
        out.extend(u2(7));
        out.extend(u4(contents.len()));
        out.extend(contents);
        out.extend([0, 0]);
        out
    }

    fn code_contents(&self) -> Vec<u8> {
        let mut out = Vec::new();
        if self.major == 45 && self.minor < 3 {
            out.extend([2, 2]);
            out.extend(u2(self.code.len()));
        } else {
            out.extend([0, 2, 0, 2]);
            out.extend(u4(self.code.len()));
        }
        out.extend(&self.code);
        out.extend(u2(self.exceptions.len()));
        self.exceptions.iter().flatten().for_each(|field| out.extend(u2(*field)));
        out.extend(u2(self.attributes.len()));
        for (index, (_, contents)) in self.attributes.iter().enumerate() {
            out.extend(u2(8 + index));
            out.extend(u4(contents.len()));
            out.extend(contents);
        }
        out
    }
}
