//! The handlers of try-with-resources, family by family.
//!
//! | compiler | shape |
//! | --- | --- |
//! | javac 7, 8 | `catch (Throwable t) { primary = t; throw t; } finally { .. close .. }`, each copy of the finally
//! with a guard `catch (Throwable x) { primary.addSuppressed(x); }` around `close` |
//! | javac 9, 10 | the same first handler; the finally calls the synthetic `$closeResource(primary, resource)` |
//! | javac 11 on | `catch (Throwable t) { try { close } catch (Throwable x) { t.addSuppressed(x); } throw t; }` |
//! | ecj | catches everything, chains suppressed exceptions by hand |

use super::matcher::Matcher;
use super::switches::catches_only;
use super::variables::{is_named, is_on_one_line};
use crate::PcRange;
use crate::body::Body;
use crate::clauses::Handler;
use catchment_classfile::access;
use catchment_classfile::opcodes::{ATHROW, GOTO, IF_ACMPEQ, IFNONNULL, IFNULL};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

const THROWABLE: &str = "java/lang/Throwable";
const CLOSE_RESOURCE: &str = "$closeResource";

/// Resources of one method as its handlers show them, read once.
#[derive(Debug, Default)]
pub(super) struct Resources {
    /// Handlers of javac 11 on: the one that closes and the one inside it.
    closing: FxHashSet<u16>,
    /// Slots that javac 7 to 10 keeps the primary exception in, and those it uses to close.
    remembered: FxHashSet<u16>,
    used: FxHashSet<u16>,
    /// Catch-alls of ecj that chain suppressed exceptions, with what they protect.
    chaining: Vec<(u16, SmallVec<[PcRange; 4]>)>,
}

impl Resources {
    pub(super) fn of(body: &Body<'_>, handlers: &[Handler]) -> Self {
        let mut it = Self::default();
        for handler in handlers {
            if handler.catches_everything {
                if chains_suppressed(body, handler).is_some() {
                    it.chaining.push((handler.pc, handler.ranges.clone()));
                }
            } else if catches_only(body, handler, THROWABLE) {
                if let Some(inner) = closes_and_rethrows(body, handler) {
                    it.closing.extend([handler.pc, inner]);
                }
                it.remembered.extend(remembers_primary(body, handler));
                it.used.extend(guards_close(body, handler));
            }
        }
        // What is used matters only beside what is remembered.
        if !it.remembered.is_empty() {
            it.used.extend(handed_to_close_resource(body));
        }
        it
    }

    /// True if a handler of `Throwable` belongs to a try-with-resources.
    pub(super) fn made(&self, body: &Body<'_>, handler: &Handler) -> bool {
        if !catches_only(body, handler, THROWABLE) {
            return false;
        }
        let in_helper = body.method.name == CLOSE_RESOURCE && body.method.access & access::SYNTHETIC != 0;
        in_helper
            || self.closing.contains(&handler.pc)
            || remembers_primary(body, handler).is_some_and(|primary| self.used.contains(&primary))
            || guards_close(body, handler).is_some_and(|primary| self.remembered.contains(&primary))
    }

    /// True if a catch-all is one of ecj's. The inner one just closes and throws on, as a `finally` might: it counts
    /// only where the outer one protects it.
    pub(super) fn made_by_ecj(&self, body: &Body<'_>, handler: &Handler) -> bool {
        let pc = usize::from(handler.pc);
        self.chaining.iter().any(|(chaining, protected)| {
            *chaining == handler.pc
                || protected.iter().any(|range| range.contains(pc)) && closes(body, handler).is_some()
        })
    }
}

/// javac 11 on. Gives the pc of the inner handler that adds the suppressed exception.
fn closes_and_rethrows(body: &Body<'_>, handler: &Handler) -> Option<u16> {
    let mut code = Matcher::at(body, handler.pc);
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
    let (primary, rethrow) = stores_and_rethrows(body, handler)?;
    let one_line = is_on_one_line(body, handler.pc, rethrow);
    (one_line && !is_named(body, primary, handler.pc)).then_some(primary)
}

/// `astore t; aload t; astore primary; aload t; athrow`. Gives the slot of `primary` and the pc of `athrow`.
pub(super) fn stores_and_rethrows(body: &Body<'_>, handler: &Handler) -> Option<(u16, u16)> {
    let mut code = Matcher::at(body, handler.pc);
    let thrown = code.astore()?;
    code.aload_of(thrown)?;
    let primary = code.astore()?;
    code.aload_of(thrown)?;
    let rethrow = code.pc()?;
    code.opcode(ATHROW)?;
    Some((primary, rethrow))
}

/// javac 7 and 8: `astore x; aload primary; aload x; addSuppressed` protecting nothing but a call of `close`.
/// Gives the slot of `primary`.
fn guards_close(body: &Body<'_>, handler: &Handler) -> Option<u16> {
    let mut code = Matcher::at(body, handler.pc);
    let suppressed = code.astore()?;
    let primary = code.peek()?.aload()?;
    add_suppressed(&mut code, primary, suppressed)?;
    let [range] = handler.ranges[..] else { return None };
    let mut protected = Matcher::at(body, range.start);
    close_call(&mut protected)?;
    (protected.pc()? == range.end && !is_named(body, primary, range.start)).then_some(primary)
}

/// javac 9 and 10: slots whose value is the first argument of `$closeResource`.
fn handed_to_close_resource<'b>(body: &'b Body<'_>) -> impl Iterator<Item = u16> + 'b {
    let calls = body.calls().filter(|call| body.member(call).is_some_and(|it| it.name == CLOSE_RESOURCE));
    let before = |pc: usize| body.outline.start_before(pc);
    calls.filter_map(move |call| body.insn(before(before(call.pc)?)?)?.aload())
}

/// ecj: `if (primary == null) primary = t; else if (primary != t) primary.addSuppressed(t); [close();] throw primary;`
fn chains_suppressed(body: &Body<'_>, handler: &Handler) -> Option<()> {
    let mut code = Matcher::at(body, handler.pc);
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
}

/// ecj, around the body: store the exception, close, throw it on.
fn closes(body: &Body<'_>, handler: &Handler) -> Option<()> {
    let mut code = Matcher::at(body, handler.pc);
    let primary = code.astore()?;
    code.optional(null_check);
    close_call(&mut code)?;
    code.aload_of(primary)?;
    code.opcode(ATHROW)
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
