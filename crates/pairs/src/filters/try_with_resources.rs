//! The handlers of try-with-resources, family by family.
//!
//! | compiler | shape |
//! | --- | --- |
//! | javac 7, 8 | `catch (Throwable t) { primary = t; throw t; } finally { .. close .. }`, each copy of the finally with a guard `catch (Throwable x) { primary.addSuppressed(x); }` around `close` |
//! | javac 9, 10 | the same first handler; the finally calls the synthetic `$closeResource(primary, resource)` |
//! | javac 11 on | `catch (Throwable t) { try { close } catch (Throwable x) { t.addSuppressed(x); } throw t; }` |
//! | ecj | catches everything, chains suppressed exceptions by hand |

use super::matcher::Matcher;
use super::switches::catches_only;
use super::variables::{is_named, is_on_one_line};
use crate::body::Body;
use crate::clauses::Handler;
use catchment_classfile::opcodes::{ATHROW, GOTO, IF_ACMPEQ, IFNONNULL, IFNULL};

const THROWABLE: &str = "java/lang/Throwable";
const CLOSE_RESOURCE: &str = "$closeResource";
const ACC_SYNTHETIC: u16 = 0x1000;

pub(super) fn is_generated(body: &Body<'_>, handler: &Handler, all: &[Handler]) -> bool {
    if !catches_only(body, handler, THROWABLE) {
        return false;
    }
    if body.method.name == CLOSE_RESOURCE && body.method.access & ACC_SYNTHETIC != 0 {
        return true;
    }
    closes_and_rethrows(body, handler).is_some()
        || all.iter().any(|outer| closes_and_rethrows(body, outer) == Some(handler.pc))
        || remembers_primary(body, handler).is_some_and(|primary| is_used_to_close(body, primary, all))
        || guards_close(body, handler).is_some_and(|primary| is_remembered(body, primary, all))
}

/// javac 11 on. Gives the pc of the inner handler that adds the suppressed exception.
fn closes_and_rethrows(body: &Body<'_>, handler: &Handler) -> Option<u16> {
    if !catches_only(body, handler, THROWABLE) {
        return None;
    }
    let mut code = Matcher::at(body, handler.pc)?;
    let thrown = code.astore()?;
    (!is_named(body, thrown, code.pc()?)).then_some(())?;
    code.optional(null_check);
    close_call(&mut code)?;
    let rethrow = code.jump(GOTO)?;
    let inner = code.pc()?;
    let suppressed = code.astore()?;
    add_suppressed(&mut code, thrown, suppressed)?;
    (code.pc()? == rethrow).then_some(())?;
    code.aload_of(thrown)?;
    is_on_one_line(body, handler.pc, code.pc()?).then_some(())?;
    code.opcode(ATHROW)?;
    Some(inner)
}

/// javac 7 to 10: the first handler, with nothing about it that a programmer would have written. Gives the slot
/// of `primary`.
fn remembers_primary(body: &Body<'_>, handler: &Handler) -> Option<u16> {
    let primary = stores_and_rethrows(body, handler)?;
    let last = body.index(handler.pc).and_then(|first| body.insns.get(first + 4))?;
    let one_line = is_on_one_line(body, handler.pc, u16::try_from(last.pc).ok()?);
    (one_line && !is_named(body, primary, handler.pc)).then_some(primary)
}

/// `astore t; aload t; astore primary; aload t; athrow`. Gives the slot of `primary`.
pub(super) fn stores_and_rethrows(body: &Body<'_>, handler: &Handler) -> Option<u16> {
    let mut code = Matcher::at(body, handler.pc)?;
    let thrown = code.astore()?;
    code.aload_of(thrown)?;
    let primary = code.astore()?;
    code.aload_of(thrown)?;
    code.opcode(ATHROW)?;
    Some(primary)
}

/// javac 7 and 8: `astore x; aload primary; aload x; addSuppressed` protecting nothing but a call of `close`.
/// Gives the slot of `primary`.
fn guards_close(body: &Body<'_>, handler: &Handler) -> Option<u16> {
    let mut code = Matcher::at(body, handler.pc)?;
    let suppressed = code.astore()?;
    let primary = code.peek()?.aload()?;
    add_suppressed(&mut code, primary, suppressed)?;
    let [range] = handler.ranges[..] else { return None };
    let mut protected = Matcher::at(body, range.start)?;
    close_call(&mut protected)?;
    (protected.pc()? == range.end && !is_named(body, primary, range.start)).then_some(primary)
}

/// Whether some handler stores what it caught in `primary`.
fn is_remembered(body: &Body<'_>, primary: u16, all: &[Handler]) -> bool {
    all.iter().any(|it| catches_only(body, it, THROWABLE) && remembers_primary(body, it) == Some(primary))
}

/// Whether `primary` takes part in closing: in a guard, or as an argument of `$closeResource`.
fn is_used_to_close(body: &Body<'_>, primary: u16, all: &[Handler]) -> bool {
    all.iter().any(|it| guards_close(body, it) == Some(primary))
        || body.insns.windows(3).any(|window| {
            window[0].aload() == Some(primary)
                && window[2].is_call()
                && body.member(&window[2]).is_some_and(|it| it.name == CLOSE_RESOURCE)
        })
}

/// ecj: `if (primary == null) primary = t; else if (primary != t) primary.addSuppressed(t); [close();] throw primary;`
pub(super) fn is_ecj(body: &Body<'_>, handler: &Handler) -> bool {
    let matches = || {
        let mut code = Matcher::at(body, handler.pc)?;
        let thrown = code.astore()?;
        let primary = code.aload()?;
        code.jump(IFNONNULL)?;
        code.aload_of(thrown)?;
        code.astore().filter(|slot| *slot == primary)?;
        code.jump(GOTO)?;
        code.aload_of(primary)?;
        code.aload_of(thrown)?;
        code.jump(IF_ACMPEQ)?;
        add_suppressed(&mut code, primary, thrown)?;
        code.optional(|code| {
            code.optional(null_check);
            close_call(code)
        });
        code.aload_of(primary)?;
        code.opcode(ATHROW)
    };
    // The inner one, around the body, stores the exception, closes and throws it on.
    let closes = || {
        let mut code = Matcher::at(body, handler.pc)?;
        let primary = code.astore()?;
        code.optional(null_check);
        close_call(&mut code)?;
        code.aload_of(primary)?;
        code.opcode(ATHROW)
    };
    matches().is_some() || closes().is_some()
}

fn null_check(code: &mut Matcher<'_, '_>) -> Option<()> {
    code.aload()?;
    code.jump(IFNULL).map(|_| ())
}

/// `aload resource; [checkcast;] close()`
fn close_call(code: &mut Matcher<'_, '_>) -> Option<()> {
    const CHECKCAST: u8 = 192;
    code.aload()?;
    code.optional(|code| code.opcode(CHECKCAST));
    code.call().filter(|it| it.name == "close" && it.descriptor == "()V").map(|_| ())
}

fn add_suppressed(code: &mut Matcher<'_, '_>, primary: u16, suppressed: u16) -> Option<()> {
    code.aload_of(primary)?;
    code.aload_of(suppressed)?;
    code.call_of(THROWABLE, "addSuppressed")
}
