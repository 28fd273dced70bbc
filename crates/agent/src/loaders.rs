//! Class loaders that let their classes reach the probe runtime.
//!
//! Nearly all do, through the boot loader. One that delegates only chosen packages (some module systems) would make the
//! first probe fail with `NoClassDefFoundError`, in the middle of the program: its classes are left as they are.

use crate::jvm::{self, JdkMembers, WeakHandle};
use crate::lock;
use jvmti_bindings::prelude::{JniEnv, Jvmti, jni};
use rustc_hash::FxHashMap;
use std::cell::Cell;
use std::sync::Mutex;

thread_local! {
    /// Asking runs code of the application, which may load classes and bring us here again.
    static IS_ASKING: Cell<bool> = const { Cell::new(false) };
}

/// The answers so far, by the identity hash of the loader.
#[derive(Debug, Default)]
pub(crate) struct Loaders {
    asked: Mutex<FxHashMap<i32, Vec<(WeakHandle, bool)>>>,
}

impl Loaders {
    /// Asks each loader until it answers; `None` when it did not, this time. No lock is held meanwhile: two threads
    /// may ask the same loader, and get the same answer.
    pub(crate) fn finds_runtime(
        &self,
        jvmti: &Jvmti,
        jni: &JniEnv,
        members: &JdkMembers,
        loader: jni::jobject,
    ) -> Option<bool> {
        let hash = jvm::identity_hash(jvmti, loader)?;
        if let Some(known) = self.known(jni, hash, loader) {
            return Some(known);
        }
        if IS_ASKING.replace(true) {
            return None;
        }
        let answer = jvm::finds_runtime(jni, members, loader);
        IS_ASKING.set(false);
        let finds = answer?;
        let mut asked = lock(&self.asked);
        asked.entry(hash).or_default().push((WeakHandle::new(jni, loader), finds));
        Some(finds)
    }

    fn known(&self, jni: &JniEnv, hash: i32, loader: jni::jobject) -> Option<bool> {
        let asked = lock(&self.asked);
        let same_hash = asked.get(&hash)?.iter();
        same_hash.filter(|(handle, _)| handle.is(jni, loader)).map(|(_, finds)| *finds).next()
    }
}
