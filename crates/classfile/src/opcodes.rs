//! The opcodes this project speaks of by name (JVMS §6.5).

pub const NOP: u8 = 0;
pub const ACONST_NULL: u8 = 1;
pub const ICONST_0: u8 = 3;
pub const BIPUSH: u8 = 16;
pub const SIPUSH: u8 = 17;
pub const LDC: u8 = 18;
pub const LDC_W: u8 = 19;
pub const LDC2_W: u8 = 20;
pub const ILOAD: u8 = 21;
pub const ALOAD: u8 = 25;
pub const ILOAD_0: u8 = 26;
pub const ALOAD_0: u8 = 42;
pub const ALOAD_3: u8 = 45;
pub const IALOAD: u8 = 46;
pub const SALOAD: u8 = 53;
pub const ISTORE: u8 = 54;
pub const ASTORE: u8 = 58;
pub const ISTORE_0: u8 = 59;
pub const ASTORE_3: u8 = 78;
pub const IASTORE: u8 = 79;
pub const AASTORE: u8 = 83;
pub const SASTORE: u8 = 86;
pub const POP: u8 = 87;
pub const DUP: u8 = 89;
pub const DUP_X1: u8 = 90;
pub const SWAP: u8 = 95;
pub const IDIV: u8 = 108;
pub const LDIV: u8 = 109;
pub const IREM: u8 = 112;
pub const LREM: u8 = 113;
pub const IINC: u8 = 132;
pub const IFEQ: u8 = 153;
pub const IF_ACMPEQ: u8 = 165;
pub const IF_ACMPNE: u8 = 166;
pub const GOTO: u8 = 167;
pub const JSR: u8 = 168;
pub const RET: u8 = 169;
pub const TABLESWITCH: u8 = 170;
pub const LOOKUPSWITCH: u8 = 171;
pub const IRETURN: u8 = 172;
pub const ARETURN: u8 = 176;
pub const RETURN: u8 = 177;
pub const BASTORE: u8 = 84;
pub const GETSTATIC: u8 = 178;
pub const PUTSTATIC: u8 = 179;
pub const GETFIELD: u8 = 180;
pub const PUTFIELD: u8 = 181;
pub const INVOKEVIRTUAL: u8 = 182;
pub const INVOKESPECIAL: u8 = 183;
pub const INVOKESTATIC: u8 = 184;
pub const INVOKEINTERFACE: u8 = 185;
pub const INVOKEDYNAMIC: u8 = 186;
pub const NEW: u8 = 187;
pub const ANEWARRAY: u8 = 189;
pub const ATHROW: u8 = 191;
pub const CHECKCAST: u8 = 192;
pub const INSTANCEOF: u8 = 193;
pub const MONITORENTER: u8 = 194;
pub const MONITOREXIT: u8 = 195;
pub const WIDE: u8 = 196;
pub const MULTIANEWARRAY: u8 = 197;
pub const IFNULL: u8 = 198;
pub const IFNONNULL: u8 = 199;
pub const GOTO_W: u8 = 200;
pub const JSR_W: u8 = 201;

/// Instruction lengths; 0 where it depends on operands, 255 for opcodes that do not exist.
pub(crate) static LENGTHS: [u8; 256] = lengths();

const fn lengths() -> [u8; 256] {
    let mut table = [1u8; 256];
    let mut opcode = 0;
    while opcode < 256 {
        table[opcode] = match opcode {
            16 | 18 | 21..=25 | 54..=58 | 169 | 188 => 2,
            17 | 19 | 20 | 132 | 153..=168 | 178..=184 | 187 | 189 | 192 | 193 | 198 | 199 => 3,
            197 => 4,
            185 | 186 | 200 | 201 => 5,
            170 | 171 | 196 => 0,
            202..=255 => 255,
            _ => 1,
        };
        opcode += 1;
    }
    table
}

/// The kind of an instruction in the control flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ControlKind {
    /// Goes on to the next instruction and nowhere else.
    Step,
    /// A step that calls a method.
    Call,
    /// To its target or on.
    Branch,
    Goto,
    /// To its target, which may come back.
    Subroutine,
    Switch,
    Return,
    Throw,
    /// Back from a subroutine.
    Ret,
    /// `wide`: the opcode behind it says.
    Wide,
}

impl ControlKind {
    /// True if control can go on to the next instruction. A subroutine call counts: it usually comes back.
    #[inline]
    pub fn falls_through(self) -> bool {
        matches!(self, Self::Step | Self::Call | Self::Branch | Self::Subroutine)
    }

    /// True if it names other instructions to go to.
    #[inline]
    pub fn has_targets(self) -> bool {
        matches!(self, Self::Branch | Self::Goto | Self::Subroutine | Self::Switch)
    }
}

pub(crate) static CONTROL_KINDS: [ControlKind; 256] = control_kinds();

const fn control_kinds() -> [ControlKind; 256] {
    let mut table = [ControlKind::Step; 256];
    let mut opcode = 0;
    while opcode < 256 {
        table[opcode] = match opcode {
            153..=166 | 198 | 199 => ControlKind::Branch,
            167 | 200 => ControlKind::Goto,
            168 | 201 => ControlKind::Subroutine,
            169 => ControlKind::Ret,
            170 | 171 => ControlKind::Switch,
            172..=177 => ControlKind::Return,
            182..=186 => ControlKind::Call,
            191 => ControlKind::Throw,
            196 => ControlKind::Wide,
            _ => ControlKind::Step,
        };
        opcode += 1;
    }
    table
}
