//! Stack map frames written anew, each in its shortest form (JVMS §4.7.4).

use crate::bytes::put2;
use crate::frames::malformed;
use crate::relocate::{SAME_EXTENDED, SAME_LOCALS_1_EXTENDED, put_type};
use crate::{ClassError, Frame, RelocateError, VerificationType};

const FULL: u8 = 255;
/// `chop_frame` and `append_frame` take away or add up to so many locals.
const FEW: usize = 3;

/// The contents of a `StackMapTable` with `frames`, by ascending pc, in a method that begins with `initial`. `class`
/// gives the index of a class that is only [named](VerificationType::Named), or `None` when the pool is full.
pub fn encode_frames(
    initial: &Frame<'_>,
    frames: &[(usize, Frame<'_>)],
    class: &mut dyn FnMut(&[u8]) -> Option<u16>,
) -> Result<Vec<u8>, RelocateError> {
    let mut out = Vec::new();
    put2(&mut out, u16::try_from(frames.len()).map_err(|_| RelocateError::TooLong)?);
    let (mut locals, mut last) = (&initial.locals, None);
    for (pc, frame) in frames {
        let delta = match last {
            None => Some(*pc),
            Some(last) => pc.checked_sub(last + 1),
        };
        let delta = delta.and_then(|delta| u16::try_from(delta).ok()).ok_or_else(out_of_order)?;
        put_frame(locals, frame, delta, class, &mut out)?;
        (locals, last) = (&frame.locals, Some(*pc));
    }
    Ok(out)
}

fn out_of_order() -> ClassError {
    malformed("frames are not in order".into())
}

type Classes<'c> = dyn FnMut(&[u8]) -> Option<u16> + 'c;

fn put_frame(
    before: &[VerificationType<'_>],
    frame: &Frame<'_>,
    delta: u16,
    class: &mut Classes<'_>,
    out: &mut Vec<u8>,
) -> Result<(), RelocateError> {
    let Frame { locals, stack } = frame;
    let short = u8::try_from(delta).ok().filter(|delta| *delta < 64);
    match (&stack[..], short) {
        ([], Some(delta)) if locals == before => out.push(delta),
        ([], _) if few_more(before, locals) || few_more(locals, before) => {
            // 251 is `same_frame_extended`, with locals taken away or added to either side of it.
            let kind = usize::from(SAME_EXTENDED) + locals.len() - before.len();
            out.push(u8::try_from(kind).unwrap_or(FULL));
            put2(out, delta);
            put_types(locals.get(before.len()..).unwrap_or_default(), class, out)?;
        }
        ([one], Some(delta)) if locals == before => {
            out.push(64 + delta);
            put_types(&[*one], class, out)?;
        }
        ([one], None) if locals == before => {
            out.push(SAME_LOCALS_1_EXTENDED);
            put2(out, delta);
            put_types(&[*one], class, out)?;
        }
        _ => {
            out.push(FULL);
            put2(out, delta);
            for types in [locals, stack] {
                put2(out, u16::try_from(types.len()).map_err(|_| RelocateError::TooLong)?);
                put_types(types, class, out)?;
            }
        }
    }
    Ok(())
}

/// True if `long` is `short` and at most a few more.
fn few_more(short: &[VerificationType<'_>], long: &[VerificationType<'_>]) -> bool {
    long.starts_with(short) && long.len() - short.len() <= FEW
}

fn put_types(
    types: &[VerificationType<'_>],
    class: &mut Classes<'_>,
    out: &mut Vec<u8>,
) -> Result<(), RelocateError> {
    for it in types {
        let it = match it {
            VerificationType::Named(name) => {
                VerificationType::Object(class(name).ok_or(RelocateError::PoolFull)?)
            }
            other => *other,
        };
        put_type(it, out);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FrameWalk;
    use VerificationType::{Integer, Long, Named, Object};

    fn frame<'a>(locals: &[VerificationType<'a>], stack: &[VerificationType<'a>]) -> Frame<'a> {
        Frame { locals: locals.to_vec(), stack: stack.to_vec() }
    }

    /// Every form, near and far.
    fn frames() -> Vec<(usize, Frame<'static>)> {
        vec![
            (3, frame(&[Named(b"T")], &[])),
            (5, frame(&[Named(b"T"), Long, Integer], &[])),
            (105, frame(&[Named(b"T"), Long, Integer], &[])),
            (106, frame(&[Named(b"T"), Long, Integer], &[Object(4)])),
            (206, frame(&[Named(b"T"), Long, Integer], &[Object(4)])),
            (210, frame(&[Named(b"T")], &[])),
            (211, frame(&[Integer, Integer, Integer, Integer, Integer], &[Integer, Long])),
        ]
    }

    #[test]
    fn what_is_written_is_read_back() {
        let initial = frame(&[Named(b"T")], &[]);
        let table = encode_frames(&initial, &frames(), &mut |_| None).expect("no new classes");
        let mut walk = FrameWalk::new(&table, initial.clone()).expect("a table");
        let mut read = Vec::new();
        while let Some(at) = walk.advance().expect("a frame") {
            read.push((at.pc, walk.state().clone()));
        }
        assert_eq!(read, frames());
    }

    #[test]
    fn each_frame_takes_its_shortest_form() {
        let initial = frame(&[Named(b"T")], &[]);
        let table = encode_frames(&initial, &frames()[..6], &mut |_| None).expect("no new classes");
        let same_and_append = [0, 6, 3, 253, 0, 1, 4, 1];
        let far_and_one_on_the_stack = [251, 0, 99, 64, 7, 0, 4, 247, 0, 99, 7, 0, 4];
        let chop = [249, 0, 3];
        assert_eq!(table, [&same_and_append[..], &far_and_one_on_the_stack, &chop].concat());
    }

    #[test]
    fn a_full_frame_asks_for_the_classes_it_names() {
        let frames = [(0, frame(&[Integer, Named(b"T")], &[]))];
        let table = encode_frames(&frame(&[Named(b"T")], &[]), &frames, &mut |name| {
            assert_eq!(name, b"T");
            Some(9)
        });
        assert_eq!(table.expect("classes are given"), [0, 1, 255, 0, 0, 0, 2, 1, 7, 0, 9, 0, 0]);
        let full = encode_frames(&Frame::default(), &frames, &mut |_| None);
        assert_eq!(full, Err(RelocateError::PoolFull));
    }

    #[test]
    fn frames_that_go_back_are_refused() {
        let frames = [(4, Frame::default()), (4, Frame::default())];
        let table = encode_frames(&Frame::default(), &frames, &mut |_| None);
        assert_eq!(table, Err(out_of_order().into()));
    }
}
