//! Access flags of classes, fields and methods (JVMS tables 4.1-B, 4.5-A and 4.6-A).

pub const PUBLIC: u16 = 0x0001;
pub const PRIVATE: u16 = 0x0002;
pub const PROTECTED: u16 = 0x0004;
pub const STATIC: u16 = 0x0008;
pub const FINAL: u16 = 0x0010;
/// Of classes: `invokespecial` looks methods up as it should; every class has it.
pub const SUPER: u16 = 0x0020;
/// Of methods: the compiler has made it to override with another signature.
pub const BRIDGE: u16 = 0x0040;
pub const VARARGS: u16 = 0x0080;
pub const NATIVE: u16 = 0x0100;
pub const INTERFACE: u16 = 0x0200;
pub const ABSTRACT: u16 = 0x0400;
pub const SYNTHETIC: u16 = 0x1000;
pub const ANNOTATION: u16 = 0x2000;
