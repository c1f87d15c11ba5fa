//! Orders: looking them up, paying them back, exchanging them.

use rust_decimal::Decimal;

use super::changes::{BeforeRefund, ExchangeStep, Version};
use super::turn::{Answers, Given, ToolUse, Turn};
use super::wishes::{Listing, Part};
use super::{field, parcels, shelves, sums};
use crate::recording::{Json, ToolError};

pub(super) fn get_order(order: &str) -> ToolUse {
    ToolUse::text("get_order", "order_id", order)
}

pub(super) fn search_orders(email: &str) -> ToolUse {
    ToolUse::text("search_orders", "email", email)
}

fn refund_of(version: Version, order: &str, amount: &str) -> ToolUse {
    ToolUse::with("refund", version.refund_arguments(order, amount))
}

/// An order that was looked up, or the sentence that says why there is none.
pub(super) fn found(order: &str, answers: &Answers) -> Result<Json, String> {
    match answers.of(&get_order(order)) {
        Some(Ok(result)) => Ok(result.clone()),
        Some(Err(error)) => Err(format!("I could not look up order {order} ({}).", error.message)),
        None => Err(format!("I did not look up order {order}.")),
    }
}

pub(super) fn look(version: Version, order: &str, answers: &Answers) -> String {
    match found(order, answers) {
        Ok(result) => version.order_line(order, &field(&result, "status"), &field(&result, "total")),
        Err(sentence) => sentence,
    }
}

pub(super) fn first_of_refund(version: Version, order: &str, part: &Part) -> ToolUse {
    match (version.before_refund(part), part) {
        (BeforeRefund::PayAtOnce, Part::Stated(amount)) => refund_of(version, order, amount),
        _ => get_order(order),
    }
}

pub(super) async fn refund(turn: &mut Turn<'_>, order: &str, part: &Part, answers: &Answers) -> String {
    let first = first_of_refund(turn.version(), order, part);
    if let (Part::Stated(amount), true) = (part, first != get_order(order)) {
        return answers.of(&first).map_or_else(String::new, |given| refunded(order, amount, given));
    }
    let (status, total) = match found(order, answers) {
        Ok(result) => (field(&result, "status"), field(&result, "total")),
        Err(sentence) => return sentence,
    };
    if !["delivered", "returned"].contains(&status.as_str()) {
        return format!("I cannot refund order {order}: its status is {status}.");
    }
    let amount = match amount(turn, part, &total).await {
        Ok(amount) => amount,
        Err(sentence) => return sentence,
    };
    let given = turn.ask(refund_of(turn.version(), order, &amount)).await;
    refunded(order, &amount, &given)
}

/// How much goes back, or the sentence that says why nothing does.
async fn amount(turn: &mut Turn<'_>, part: &Part, total: &str) -> Result<String, String> {
    match part {
        Part::Whole => Ok(total.to_owned()),
        Part::Stated(amount) => match (amount.parse::<Decimal>(), total.parse::<Decimal>()) {
            (Ok(wanted), Ok(paid)) if wanted <= paid => Ok(amount.clone()),
            _ => Err(format!("I cannot refund {amount}: the order cost {total}.")),
        },
        Part::Share(percent) => {
            let share = sums::value(turn.ask(sums::calculate(&format!("{total} * {percent} / 100"))).await);
            let exact =
                share.map_err(|error| format!("I could not work out {percent} percent ({}).", error.message))?;
            match exact.parse::<Decimal>() {
                Ok(exact) => Ok(turn.version().share_amount(exact)),
                Err(_) => Err(format!("I could not read the amount {exact}.")),
            }
        }
    }
}

fn refunded(order: &str, amount: &str, given: &Given) -> String {
    match given {
        Ok(_) => format!("I refunded {amount} for order {order}."),
        Err(error) => format!("I could not refund order {order} ({}).", error.message),
    }
}

/// Pays an order back and reserves another article in its place.
pub(super) async fn exchange(turn: &mut Turn<'_>, order: &str, sku: &str, answers: &Answers) -> Vec<String> {
    let (status, total) = match found(order, answers) {
        Ok(result) => (field(&result, "status"), field(&result, "total")),
        Err(sentence) => return vec![sentence],
    };
    if !["delivered", "returned"].contains(&status.as_str()) {
        return vec![format!("I cannot exchange order {order}: its status is {status}.")];
    }
    let mut said = Vec::new();
    for step in turn.version().exchange_steps() {
        let (given, sentence): (Given, String) = match step {
            ExchangeStep::Refund => {
                let given = turn.ask(refund_of(turn.version(), order, &total)).await;
                let sentence = refunded(order, &total, &given);
                (given, sentence)
            }
            ExchangeStep::Reserve => {
                let given = turn.ask(shelves::reserve_of(sku, 1)).await;
                let sentence = shelves::reserved(sku, 1, &given);
                (given, sentence)
            }
        };
        said.push(sentence);
        if given.is_err() {
            break;
        }
    }
    said
}

/// Lists a customer's orders, and does with them what is asked.
pub(super) async fn list(turn: &mut Turn<'_>, email: &str, then: Listing, answers: &Answers) -> Vec<String> {
    let orders = match answers.of(&search_orders(email)) {
        Some(Ok(result)) => result.member("orders").and_then(|orders| orders.items()).unwrap_or_default(),
        Some(Err(ToolError { message, .. })) => {
            return vec![format!("I could not search the orders of {email} ({message}).")];
        }
        None => Vec::new(),
    };
    let Some(newest) = orders.last().map(|order| field(order, "id")) else {
        return vec![turn.version().no_orders(email)];
    };
    let lines = orders
        .iter()
        .map(|order| format!("{} ({}, {})", field(order, "id"), field(order, "status"), field(order, "total")));
    let shown = format!("The orders of {email}: {}.", lines.collect::<Vec<_>>().join(", "));
    match then {
        Listing::Show => vec![shown],
        Listing::AddUp => {
            let totals: Vec<_> = orders.iter().map(|order| field(order, "total")).collect();
            vec![shown, sums::add_up(turn, &totals).await]
        }
        Listing::TrackNewest => {
            let looked_up = turn.ask_together(vec![get_order(&newest)]).await;
            parcels::track(turn, &newest, &looked_up).await
        }
    }
}
