//! Constructors that store what they are given.

use crate::ids::MethodId;
use crate::solver::Solver;
use catchment_ir::{Body, InvokeKind, Op, Var};
use rustc_hash::FxHashSet;

/// Constructors that pass a parameter through more constructors than this are context-insensitive, which only merges.
const MAX_DEPTH: usize = 50;

impl Solver<'_> {
    /// Tells whether it is a constructor that puts a parameter into a field of the new object, itself or through
    /// another constructor of the same object.
    pub(crate) fn stores_parameter(&mut self, method: MethodId) -> bool {
        self.stores_at_depth(method, 0)
    }

    fn stores_at_depth(&mut self, method: MethodId, depth: usize) -> bool {
        if depth > MAX_DEPTH || self.world.name_of(method) != b"<init>" {
            return false;
        }
        if let Some(known) = self.contexts.stores.get(&method) {
            return *known;
        }
        // A constructor that calls itself by way of others does so without storing anything new.
        self.contexts.stores.insert(method, false);
        let stores = self.body_of(method).is_some_and(|body| self.body_stores(method, &body, depth));
        self.contexts.stores.insert(method, stores);
        stores
    }

    fn body_stores(&mut self, method: MethodId, body: &Body, depth: usize) -> bool {
        let class = self.world.method(method).class;
        let Some((Some(this), parameters)) = body.parameters.split_first() else { return false };
        let this = same_as(body, [*this]);
        let given = same_as(body, parameters.iter().flatten().copied());
        body.statements.iter().any(|statement| match statement.op {
            Op::PutField { base, src: Some(src), .. } => this.contains(&base) && given.contains(&src),
            Op::Invoke { kind: InvokeKind::Special, method, receiver: Some(receiver), arguments, .. } => {
                this.contains(&receiver)
                    && body.operands(arguments).iter().flatten().any(|it| given.contains(it))
                    && self
                        .world
                        .method_ref(class, method)
                        .is_some_and(|callee| self.stores_at_depth(callee, depth + 1))
            }
            _ => false,
        })
    }
}

/// Variables that hold what one of these holds, through casts and where they meet with others.
fn same_as(body: &Body, vars: impl IntoIterator<Item = Var>) -> FxHashSet<Var> {
    let mut same: FxHashSet<Var> = vars.into_iter().collect();
    loop {
        let before = same.len();
        for statement in &body.statements {
            match statement.op {
                Op::Cast { dst, src, .. } if same.contains(&src) => {
                    same.insert(dst);
                }
                Op::Phi { dst, sources }
                    if body.operands(sources).iter().flatten().any(|it| same.contains(it)) =>
                {
                    same.insert(dst);
                }
                _ => {}
            }
        }
        if same.len() == before {
            return same;
        }
    }
}
