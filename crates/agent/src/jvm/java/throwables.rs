//! Throwables: making them, asking them, marking them.
#![expect(unsafe_code, reason = "JNI is raw pointers")]

use super::{Class, Constructor, Java, Object, Throwable, no_memory};
use crate::jvm::{frame_text, string_from};
use jvmti_bindings::prelude::*;

/// Suppressed exceptions beyond these are of no interest.
const SUPPRESSED_READ: jni::jsize = 100;

/// Parameters of a constructor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Parameter {
    Message,
    Cause,
}

impl<'j> Java<'j> {
    pub(super) fn string(&self, text: &str) -> Option<Object<'j>> {
        let made = self.jni.new_string(text);
        self.jni.exception_clear();
        // SAFETY: the string just made.
        made.and_then(|raw| unsafe { self.object(raw) })
    }

    /// An object of this throwable class with nothing set in it.
    pub(crate) fn allocate(&self, class: Class<'j>) -> Result<Throwable<'j>, String> {
        // SAFETY: a live handle of a class.
        let made = unsafe { self.jni.alloc_object(class.0.0) };
        self.checked(())?;
        // SAFETY: the object just made; recipes only allocate classes checked to be throwable.
        made.and_then(|raw| unsafe { self.throwable(raw) }).ok_or_else(no_memory)
    }

    /// Runs the constructors of `Throwable` itself, which call `fillInStackTrace`; the application may have
    /// overridden that.
    pub(crate) fn initialise(
        &self,
        throwable: Throwable<'j>,
        message: Option<&str>,
        cause: Option<Throwable<'j>>,
    ) -> Result<(), String> {
        let members = self.members;
        let text = message.and_then(|message| self.string(message));
        let text = jni::jvalue { l: text.map_or(std::ptr::null_mut(), |text| text.0) };
        // SAFETY: constructors of `Throwable` with their arguments.
        unsafe {
            let class = members.throwable.raw();
            let (constructor, arguments) = match cause {
                Some(cause) => (members.init_message_cause, vec![text, jni::jvalue { l: cause.0.0 }]),
                None => (members.init_message, vec![text]),
            };
            self.jni.call_nonvirtual_void_method(throwable.0.0, class, constructor, &arguments);
        }
        self.checked(())
    }

    /// Runs a constructor, with the message for its strings and the cause for its throwables. The caller has looked
    /// at its descriptor: it takes nothing else, and no throwable that the cause is not.
    pub(in crate::jvm) fn construct(
        &self,
        constructor: &Constructor,
        parameters: &[Parameter],
        message: &str,
        cause: Option<Throwable<'j>>,
    ) -> Result<Throwable<'j>, String> {
        let class = self.recall(&constructor.class)?;
        let text = self.string(message).ok_or_else(no_memory)?;
        let argument = |parameter: &Parameter| match parameter {
            Parameter::Message => jni::jvalue { l: text.0 },
            Parameter::Cause => jni::jvalue { l: cause.map_or(std::ptr::null_mut(), |cause| cause.0.0) },
        };
        let arguments: Vec<jni::jvalue> = parameters.iter().map(argument).collect();
        // SAFETY: a constructor with arguments of its types, as promised.
        let made = unsafe { self.jni.new_object(class.0.0, constructor.id, &arguments) };
        self.checked(())?;
        // SAFETY: the object just made; recipes only construct classes checked to be throwable.
        made.and_then(|raw| unsafe { self.throwable(raw) }).ok_or_else(no_memory)
    }

    /// The stored message, without calling `getMessage`. `None` when there is none.
    pub(crate) fn message_field(&self, throwable: Throwable<'j>) -> Option<String> {
        // SAFETY: a field of `Throwable` that holds a string.
        unsafe {
            let text = self.jni.get_object_field(throwable.0.0, self.members.message);
            self.jni.get_string_lossy(text)
        }
    }

    /// The stored cause, without calling `getCause`.
    pub(crate) fn cause_field(&self, throwable: Throwable<'j>) -> Option<Throwable<'j>> {
        // SAFETY: a field of `Throwable` that holds a throwable.
        let cause = unsafe { self.throwable(self.jni.get_object_field(throwable.0.0, self.members.cause)) }?;
        // As long as nobody has set it, an exception is its own cause.
        (!self.is_same(cause, throwable)).then_some(cause)
    }

    /// Runs code of the application.
    pub(crate) fn get_message(&self, throwable: Throwable<'j>) -> Option<String> {
        self.text_from(throwable, self.members.get_message).ok().flatten()
    }

    /// Runs code of the application.
    pub(crate) fn get_cause(&self, throwable: Throwable<'j>) -> Option<Throwable<'j>> {
        // SAFETY: a method of `Throwable` without arguments that gives a throwable.
        unsafe {
            let cause = self.jni.call_object_method(throwable.0.0, self.members.get_cause, &[]);
            if self.take_thrown().is_some() { None } else { self.throwable(cause) }
        }
    }

    /// The suppressed exceptions, the first few of them. The method is final: no code of the application runs.
    pub(crate) fn suppressed(&self, throwable: Throwable<'j>) -> Vec<Throwable<'j>> {
        // SAFETY: a method of `Throwable` without arguments that gives an array of throwables.
        unsafe {
            let array = self.jni.call_object_method(throwable.0.0, self.members.get_suppressed, &[]);
            if self.take_thrown().is_some() || array.is_null() {
                return Vec::new();
            }
            let length = self.jni.get_array_length(array).min(SUPPRESSED_READ);
            let elements = (0..length).map(|index| self.jni.get_object_array_element(array, index));
            elements.filter_map(|raw| self.throwable(raw)).collect()
        }
    }

    /// The method is final: no code of the application runs.
    pub(crate) fn add_suppressed(
        &self,
        throwable: Throwable<'j>,
        suppressed: Throwable<'j>,
    ) -> Result<(), String> {
        // SAFETY: a method of `Throwable` that takes a throwable.
        unsafe {
            let arguments = [jni::jvalue { l: suppressed.0.0 }];
            self.jni.call_void_method(throwable.0.0, self.members.add_suppressed, &arguments);
        }
        self.checked(())
    }

    /// True if everything that handlers usually ask an exception for can be asked without harm. Runs code of the
    /// application.
    pub(crate) fn getters_work(&self, throwable: Throwable<'j>) -> bool {
        let members = self.members;
        let methods =
            [members.get_message, members.get_localized_message, members.get_cause, members.to_string];
        methods.into_iter().all(|method| {
            // SAFETY: methods of `Throwable` without arguments that give objects.
            unsafe { self.jni.call_object_method(throwable.0.0, method, &[]) };
            self.take_thrown().is_none()
        })
    }

    fn text_from(&self, throwable: Throwable<'j>, method: jni::jmethodID) -> Result<Option<String>, String> {
        // SAFETY: a method of `Throwable` without arguments that gives a string.
        unsafe {
            let text = self.jni.call_object_method(throwable.0.0, method, &[]);
            self.checked(())?;
            Ok(self.jni.get_string_lossy(text))
        }
    }

    pub(crate) fn is_out_of_memory(&self, throwable: Throwable<'j>) -> bool {
        // SAFETY: live handles.
        unsafe { self.jni.is_instance_of(throwable.0.0, self.members.out_of_memory.raw()) }
    }

    /// The elements of the stored trace, topmost first, as text. Calls no method that may be overridden.
    pub(crate) fn frames(&self, throwable: Throwable<'j>, most: jni::jsize) -> Vec<String> {
        let Some(jdk) = crate::jdk_members() else { return Vec::new() };
        // SAFETY: not virtual; an array of stack trace elements.
        unsafe {
            let trace = self.jni.call_nonvirtual_object_method(
                throwable.0.0,
                self.members.throwable.raw(),
                jdk.stack_trace,
                &[],
            );
            if self.take_thrown().is_some() || trace.is_null() {
                return Vec::new();
            }
            let length = self.jni.get_array_length(trace).min(most);
            let texts = (0..length).map(|index| {
                let element = self.jni.get_object_array_element(trace, index);
                let class = string_from(self.jni, element, jdk.class_name).unwrap_or_default();
                frame_text(self.jni, jdk, element, &class)
            });
            let texts = texts.collect();
            self.jni.exception_clear();
            texts
        }
    }

    pub(crate) fn mark(&self, throwable: Throwable<'j>, mark: i64) -> bool {
        // SAFETY: a live handle.
        unsafe { self.jvmti.set_tag(throwable.0.0, mark) }.is_ok()
    }

    /// 0 for an object without a mark.
    pub(crate) fn mark_of(&self, throwable: Throwable<'j>) -> i64 {
        // SAFETY: a live handle.
        unsafe { self.jvmti.get_tag(throwable.0.0) }.unwrap_or(0)
    }
}
