//! The front door: one method in, its body out.

use crate::assemble::{Assemble, Parts};
use crate::assertions::Assertions;
use crate::body::Body;
use crate::descriptor::{Shape, parse_method};
use crate::error::{Failure, Fault, TranslateError};
use crate::fill::{Fill, Method};
use crate::graph::{Graph, Source};
use crate::phis::Phis;
use crate::scan::Scan;
use crate::values::Values;
use catchment_classfile::{ClassFile, Code, Member, access};

/// Translates methods, one after the other, and keeps its memory from one to the next.
#[derive(Debug, Default)]
pub struct Translator {
    scan: Scan,
    graph: Graph,
    values: Values,
    fill: Fill,
    phis: Phis,
    assemble: Assemble,
    parameters: Vec<Shape>,
}

impl Clone for Translator {
    /// Another one, with memory of its own: what is kept between methods means nothing.
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Translator {
    /// The body of a method of `class`; nothing if it has no code.
    pub fn translate<'a>(
        &mut self,
        class: &ClassFile<'a>,
        method: &Member<'a>,
    ) -> Result<Option<Body>, TranslateError> {
        self.translate_with(class, method, Assertions::On)
    }

    /// Like [`Self::translate`], perhaps without what `assert` statements do.
    pub fn translate_with<'a>(
        &mut self,
        class: &ClassFile<'a>,
        method: &Member<'a>,
        assertions: Assertions,
    ) -> Result<Option<Body>, TranslateError> {
        let code = class.code(method).map_err(|error| Failure::at(0, error));
        let body = code
            .and_then(|code| code.map(|(_, code)| self.body(class, method, &code, assertions)).transpose());
        body.map_err(|Failure { pc, fault }| {
            let method = format!("{}{}", method.name, method.descriptor);
            TranslateError { method, pc, fault }
        })
    }

    fn body<'a>(
        &mut self,
        class: &ClassFile<'a>,
        method: &Member<'a>,
        code: &Code<'a>,
        assertions: Assertions,
    ) -> Result<Body, Failure> {
        let at_start = |fault: Fault| Failure::at(0, fault);
        self.parameters.clear();
        if method.access & access::STATIC == 0 {
            self.parameters.push(Shape::Reference);
        }
        parse_method(method.descriptor.as_bytes(), &mut self.parameters).map_err(at_start)?;
        self.scan.run(code, &class.pool)?;
        self.scan.count_parameters(&self.parameters).map_err(at_start)?;
        self.graph.build(&Source { code, pool: &class.pool, scan: &self.scan, assertions })?;
        let parameters = self.values.begin(&self.parameters, &self.scan, &self.graph).map_err(at_start)?;
        let Self { scan, graph, values, fill, phis, .. } = self;
        fill.run(&Method { code, pool: &class.pool, scan, graph }, values)?;
        phis.run(graph, fill, values)?;
        self.assemble.run(&Parts { scan, graph, fill, phis, values }, parameters)
    }
}
