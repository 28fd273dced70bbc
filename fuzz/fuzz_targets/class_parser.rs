//! Reading a class, its code, its frames and its pairs never panics, whatever the bytes.

#![no_main]

use catchment_classfile::{ClassFile, FrameWalk, LineTable};
use catchment_pairs::pairs_of;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(class) = ClassFile::parse(bytes) else { return };
    let _ = class.source_file();
    for method in &class.methods {
        let Ok(Some((_, code))) = class.code(method) else { continue };
        let _ = code.insns().map_while(Result::ok).map(|insn| (insn.control(), insn.targets().count())).count();
        let _ = LineTable::read(&code, &class.pool);
        if let Ok(Some(mut walk)) = FrameWalk::of(&class, method, &code) {
            while let Ok(Some(_)) = walk.advance() {}
        }
    }
    let _ = pairs_of(&class);
});
