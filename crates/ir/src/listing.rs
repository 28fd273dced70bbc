//! Bodies as text, for people and tests: blocks with where they go, one statement a line.

use crate::body::{ArrayKind, Block, BlockId, Body, HandlerId, InvokeKind, Op, Stmt, Var};
use std::fmt;

impl fmt::Display for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parameters: Vec<String> = self.parameters.iter().map(optional).collect();
        writeln!(f, "({})", parameters.join(" "))?;
        for (id, block) in (0..).zip(&self.blocks) {
            writeln!(f, "{}{}", BlockId(id), Ways { body: self, block })?;
            for statement in self.statements_of(block) {
                writeln!(f, "  {}", Line { body: self, statement })?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for Var {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "v{}", self.0)
    }
}

impl fmt::Display for BlockId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "b{}", self.0)
    }
}

fn optional(variable: &Option<Var>) -> String {
    variable.map_or_else(|| "_".to_owned(), |variable| variable.to_string())
}

/// Successors of a block, and its handlers.
struct Ways<'b> {
    body: &'b Body,
    block: &'b Block,
}

impl fmt::Display for Ways<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (before, successor) in
            std::iter::once(" -> ").chain(std::iter::repeat(", ")).zip(&self.block.successors)
        {
            write!(f, "{before}{successor}")?;
        }
        for HandlerId(row) in &self.block.handlers {
            let Some(handler) = self.body.handlers.get(usize::from(*row)) else { continue };
            match handler.catch_type {
                Some(class) => write!(f, " catch #{class}")?,
                None => write!(f, " catch any")?,
            }
            match handler.block {
                Some(block) => write!(f, " {block}")?,
                None => write!(f, " nowhere")?,
            }
        }
        Ok(())
    }
}

struct Line<'b> {
    body: &'b Body,
    statement: &'b Stmt,
}

impl Line<'_> {
    fn arguments(&self) -> String {
        let list = self.statement.op.operands().unwrap_or_default();
        self.body.operands(list).iter().map(|it| format!(" {}", optional(it))).collect()
    }
}

impl fmt::Display for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Stmt { pc, op } = self.statement;
        write!(f, "{pc}: ")?;
        if let Some(dst) = op.dst() {
            write!(f, "{dst} = ")?;
        }
        match op {
            Op::Phi { .. } => write!(f, "phi{}", self.arguments()),
            Op::Catch { .. } => write!(f, "catch"),
            Op::Null { .. } => write!(f, "null"),
            Op::Constant { constant, .. } | Op::NumberConstant { constant } => {
                write!(f, "constant #{constant}")
            }
            Op::New { class, .. } => write!(f, "new #{class}"),
            Op::NewArray { kind, .. } => write!(f, "new array {kind}"),
            Op::Cast { src, class, .. } => write!(f, "cast {src} #{class}"),
            Op::InstanceOf { src, class } => write!(f, "instanceof {src} #{class}"),
            Op::GetField { base, field, .. } => write!(f, "{base}.#{field}"),
            Op::PutField { base, field, src } => write!(f, "{base}.#{field} = {}", optional(src)),
            Op::GetStatic { field, .. } => write!(f, "static #{field}"),
            Op::PutStatic { field, src } => write!(f, "static #{field} = {}", optional(src)),
            Op::ArrayLoad { array, .. } => write!(f, "{array}[]"),
            Op::ArrayStore { array, src } => write!(f, "{array}[] = {}", optional(src)),
            Op::ArrayLength { array } => write!(f, "length {array}"),
            Op::Invoke { kind, method, receiver, .. } => {
                let receiver = receiver.map(|it| format!(" {it}")).unwrap_or_default();
                write!(f, "invoke {kind} #{method}{receiver} ({})", self.arguments().trim_start())
            }
            Op::InvokeDynamic { call, .. } => {
                write!(f, "invoke dynamic #{call} ({})", self.arguments().trim_start())
            }
            Op::Throw { src } => write!(f, "throw {src}"),
            Op::Return { src: Some(src) } => write!(f, "return {src}"),
            Op::Return { src: None } => write!(f, "return"),
            Op::MonitorEnter { src } => write!(f, "enter {src}"),
            Op::MonitorExit { src } => write!(f, "exit {src}"),
            Op::Divide => write!(f, "divide"),
            Op::NullTest { src, if_null, otherwise } => write!(f, "if null {src} {if_null} else {otherwise}"),
        }
    }
}

impl fmt::Display for InvokeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Virtual => "virtual",
            Self::Interface => "interface",
            Self::Special => "special",
            Self::Static => "static",
        })
    }
}

impl fmt::Display for ArrayKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Numbers(kind) => write!(f, "of numbers {kind}"),
            Self::Of(class) => write!(f, "of #{class}"),
            Self::EmptyOf(class) => write!(f, "empty of #{class}"),
            Self::Nested { class, levels } => write!(f, "#{class} {levels} levels"),
        }
    }
}
