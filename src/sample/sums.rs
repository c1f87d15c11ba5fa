//! Sums: the calculator, totals and invoices.

use super::turn::{Answers, Given, ToolUse, Turn};
use super::wishes::TaxWish;
use super::{field, orders};
use crate::recording::{Json, ToolError};

pub(super) fn calculate(expression: &str) -> ToolUse {
    ToolUse::text("calculate", "expression", expression)
}

/// The value that the calculator gave.
pub(super) fn value(given: Given) -> Result<String, ToolError> {
    given.map(|result| field(&result, "value"))
}

pub(super) fn sum(expression: &str, answers: &Answers) -> String {
    match answers.of(&calculate(expression)).cloned().map(value) {
        Some(Ok(value)) => format!("{expression} = {value}."),
        Some(Err(error)) => format!("I could not calculate {expression} ({}).", error.message),
        None => String::new(),
    }
}

/// Adds amounts up and says the total.
pub(super) async fn add_up(turn: &mut Turn<'_>, amounts: &[String]) -> String {
    if let [only] = amounts {
        return format!("In all {only}.");
    }
    match value(turn.ask(calculate(&amounts.join(" + "))).await) {
        Ok(value) => format!("In all {value}."),
        Err(error) => format!("I could not add them up ({}).", error.message),
    }
}

/// What several orders cost together; one that is not there is named and left out.
pub(super) async fn total(turn: &mut Turn<'_>, wanted: &[String], answers: &Answers) -> String {
    let mut amounts = Vec::new();
    let mut said = Vec::new();
    for order in wanted {
        match orders::found(order, answers) {
            Ok(result) => amounts.push(field(&result, "total")),
            Err(sentence) => said.push(sentence),
        }
    }
    if !amounts.is_empty() {
        said.push(add_up(turn, &amounts).await);
    }
    said.join(" ")
}

/// Reads an order's invoice, and works out the tax where that is asked.
pub(super) async fn invoice(turn: &mut Turn<'_>, order: &str, tax: TaxWish, answers: &Answers) -> Vec<String> {
    let status = match orders::found(order, answers) {
        Ok(result) => field(&result, "status"),
        Err(sentence) => return vec![sentence],
    };
    if ["processing", "cancelled"].contains(&status.as_str()) {
        return vec![format!("There is no invoice for order {order}: its status is {status}.")];
    }
    let call = ToolUse::new("get_invoice", [("order_id", turn.version().invoice_order(order))]);
    let invoice = match turn.ask(call).await {
        Ok(invoice) => invoice,
        Err(error) => return vec![format!("I could not get the invoice of order {order} ({}).", error.message)],
    };
    let mut said = vec![invoice_line(&invoice)];
    if tax == TaxWish::WorkedOut {
        let (total, percent) = (field(&invoice, "total"), field(&invoice, "tax_percent"));
        said.push(match value(turn.ask(calculate(&format!("{total} / (100 + {percent}) * {percent}"))).await) {
            Ok(value) => format!("It holds {value} of tax."),
            Err(error) => format!("I could not work out the tax ({}).", error.message),
        });
    }
    said
}

fn invoice_line(invoice: &Json) -> String {
    let lines = invoice.member("lines").and_then(|lines| lines.items()).unwrap_or_default();
    let lines: Vec<_> = lines.iter().map(|line| format!("{} {}", field(line, "name"), field(line, "price"))).collect();
    format!("Invoice {}: {}; total {}.", field(invoice, "number"), lines.join(", "), field(invoice, "total"))
}
