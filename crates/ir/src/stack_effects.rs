//! Instructions that only handle numbers: how many slots each takes from the stack, and how many it leaves there.

/// Slots taken and left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StackEffect {
    pub(crate) pops: u8,
    pub(crate) pushes: u8,
}

/// By opcode; of instructions that do more the entry is not asked for.
pub(crate) static STACK_EFFECTS: [StackEffect; 256] = table();

const fn table() -> [StackEffect; 256] {
    let mut table = [StackEffect { pops: 0, pushes: 0 }; 256];
    let mut opcode = 0;
    while opcode < 256 {
        let (pops, pushes) = match opcode {
            // Constants and loads; then those of longs and doubles.
            2..=8 | 11..=13 | 16 | 17 | 21 | 23 | 26..=29 | 34..=37 => (0, 1),
            9 | 10 | 14 | 15 | 22 | 24 | 30..=33 | 38..=41 => (0, 2),
            87 | 153..=158 | 170..=172 | 174 => (1, 0),
            88 | 159..=166 | 173 | 175 => (2, 0),
            // Arithmetic: int, long, float, double in turn.
            96..=115 => {
                if opcode % 2 == 0 {
                    (2, 1)
                } else {
                    (4, 2)
                }
            }
            116 | 118 => (1, 1),
            117 | 119 => (2, 2),
            120 | 122 | 124 | 126 | 128 | 130 => (2, 1),
            121 | 123 | 125 => (3, 2),
            127 | 129 | 131 => (4, 2),
            // Conversions.
            133 | 135 | 140 | 141 => (1, 2),
            134 | 139 | 145..=147 => (1, 1),
            136 | 137 | 142 | 144 => (2, 1),
            138 | 143 => (2, 2),
            148 | 151 | 152 => (4, 1),
            149 | 150 => (2, 1),
            // The return address is no reference.
            168 | 201 => (0, 1),
            _ => (0, 0),
        };
        table[opcode] = StackEffect { pops, pushes };
        opcode += 1;
    }
    table
}
