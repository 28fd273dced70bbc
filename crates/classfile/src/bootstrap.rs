//! The linkage of `invokedynamic`: the `BootstrapMethods` attribute of a class (JVMS §4.7.23).

use crate::bytes::{Reader, u2_at};
use crate::tag::{DYNAMIC, INVOKE_DYNAMIC, METHOD_HANDLE};
use crate::{ClassFile, ConstantPool, MemberRef};

/// The act of a method handle on its member (JVMS table 5.4.3.5-A).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HandleKind {
    GetField,
    GetStatic,
    PutField,
    PutStatic,
    InvokeVirtual,
    InvokeStatic,
    InvokeSpecial,
    NewInvokeSpecial,
    InvokeInterface,
}

/// A method handle constant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MethodHandle<'a> {
    pub kind: HandleKind,
    pub member: MemberRef<'a>,
}

/// How a dynamic constant or call site is linked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bootstrap<'a> {
    pub method: MethodHandle<'a>,
    /// Its static arguments, indices into the constant pool.
    pub arguments: Vec<u16>,
}

impl<'a> ConstantPool<'a> {
    pub fn method_handle(&self, index: u16) -> Option<MethodHandle<'a>> {
        let (METHOD_HANDLE, handle) = self.raw(index)? else { return None };
        let kind = match handle.first()? {
            1 => HandleKind::GetField,
            2 => HandleKind::GetStatic,
            3 => HandleKind::PutField,
            4 => HandleKind::PutStatic,
            5 => HandleKind::InvokeVirtual,
            6 => HandleKind::InvokeStatic,
            7 => HandleKind::InvokeSpecial,
            8 => HandleKind::NewInvokeSpecial,
            9 => HandleKind::InvokeInterface,
            _ => return None,
        };
        Some(MethodHandle { kind, member: self.member_ref(u2_at(handle, 1)).ok()? })
    }
}

impl<'a> ClassFile<'a> {
    /// The method that links the dynamic constant or call site `index`, if the class says so in due form.
    pub fn bootstrap_of(&self, index: u16) -> Option<MemberRef<'a>> {
        self.bootstrap(index).map(|bootstrap| bootstrap.method.member)
    }

    /// How the dynamic constant or call site `index` is linked, if the class says so in due form.
    pub fn bootstrap(&self, index: u16) -> Option<Bootstrap<'a>> {
        let (DYNAMIC | INVOKE_DYNAMIC, dynamic) = self.pool.raw(index)? else { return None };
        let table = self.attributes.find(&self.pool, "BootstrapMethods")?;
        let mut reader = Reader::new(table.data);
        if u2_at(dynamic, 0) >= reader.u2().ok()? {
            return None;
        }
        for _ in 0..u2_at(dynamic, 0) {
            reader.skip(2).ok()?;
            let arguments = usize::from(reader.u2().ok()?);
            reader.skip(2 * arguments).ok()?;
        }
        let method = self.pool.method_handle(reader.u2().ok()?)?;
        let count = reader.u2().ok()?;
        let arguments = (0..count).map(|_| reader.u2().ok()).collect::<Option<_>>()?;
        Some(Bootstrap { method, arguments })
    }
}
