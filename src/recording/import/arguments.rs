//! The arguments of a call, as a format wrote them.

use super::super::interaction::ToolCall;
use super::super::json::{Fault, FaultKind, Json, Kind};
use super::python;

/// Gives a call its arguments. A text that holds a JSON object becomes that object, as nobody means anything else by
/// it. Any other text stays as it is, for the comparison to name what is wrong with it; where it was written in
/// Python's way the same is said in JSON, and the call keeps the text as `writtenArguments`.
pub(super) fn set_arguments(call: &mut ToolCall, written: Option<Json>) {
    let Some(written) = written.filter(|written| !written.is_null()) else { return };
    let Some(text) = written.as_str() else {
        call.arguments = Some(written.compact());
        return;
    };
    if text.trim().is_empty() {
        return;
    }
    call.arguments = Some(match Json::parse(text.as_ref()) {
        Ok(object) if object.kind() == Kind::Object => object.compact(),
        Ok(_) => written.compact(),
        Err(fault) => match python::literal(&text).filter(|literal| literal.kind() == Kind::Object) {
            Some(literal) => {
                call.extra.push(("writtenArguments".into(), written.compact()));
                literal
            }
            None => {
                if is_cut_off(&fault) {
                    call.truncated = Some(true);
                }
                written.compact()
            }
        },
    });
}

fn is_cut_off(fault: &Fault) -> bool {
    matches!(fault.kind, FaultKind::UnexpectedEnd)
}
