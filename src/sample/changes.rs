//! What version 2 of the sample agent does differently, all in one place.
//!
//! The first ten change what the agent does, and taketwo must find them; the rest only look like changes, and it must
//! not report them. Which recorded cases each one touches stands in `recordings/CHANGES.md`.

use rust_decimal::{Decimal, RoundingStrategy};
use unicode_normalization::UnicodeNormalization;

use super::turn::ToolUse;
use super::wishes::{Part, Skill};
use crate::recording::Json;

/// A build of the sample agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Version {
    /// The one that `recordings/` was made with.
    V1,
    /// The next one, with all of the changes below.
    V2,
}

/// Whether an order is looked at before money goes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BeforeRefund {
    LookAtOrder,
    PayAtOnce,
}

/// The two steps of an exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ExchangeStep {
    Refund,
    Reserve,
}

/// How arguments go over the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WireForm {
    Object,
    JsonText,
}

// ---- What taketwo must find ------------------------------------------------------------------

impl Version {
    /// `blind-refund`: a user who states an amount gets it, and nobody looks at the order.
    pub(super) fn before_refund(self, part: &Part) -> BeforeRefund {
        match (self, part) {
            (Version::V2, Part::Stated(_)) => BeforeRefund::PayAtOnce,
            _ => BeforeRefund::LookAtOrder,
        }
    }

    /// `rounded-amount`: a share of a total is rounded to whole units, not to cents.
    pub(super) fn share_amount(self, exact: Decimal) -> String {
        let half_up = RoundingStrategy::MidpointAwayFromZero;
        match self {
            Version::V1 => format!("{:.2}", exact.round_dp_with_strategy(2, half_up)),
            Version::V2 => exact.round_dp_with_strategy(0, half_up).to_string(),
        }
    }

    /// `no-retry`: a tool that is busy is not asked again.
    pub(super) fn tries(self) -> u32 {
        match self {
            Version::V1 => 3,
            Version::V2 => 1,
        }
    }

    /// `asks-twice`: two wishes about one order look it up once each.
    pub(super) fn without_doubles(self, calls: Vec<ToolUse>) -> Vec<ToolUse> {
        match self {
            Version::V1 => calls.into_iter().fold(Vec::new(), |mut kept, call| {
                if !kept.contains(&call) {
                    kept.push(call);
                }
                kept
            }),
            Version::V2 => calls,
        }
    }

    /// `renamed-tool`: the tool that knows the stock has a new name.
    pub(super) fn stock_tool(self) -> &'static str {
        match self {
            Version::V1 => "restock_status",
            Version::V2 => "stock_status",
        }
    }

    /// `swapped-steps`: an exchange reserves the new article before the old one is paid back.
    pub(super) fn exchange_steps(self) -> [ExchangeStep; 2] {
        match self {
            Version::V1 => [ExchangeStep::Refund, ExchangeStep::Reserve],
            Version::V2 => [ExchangeStep::Reserve, ExchangeStep::Refund],
        }
    }

    /// `number-for-text`: an invoice is asked for by a number, no longer by a text.
    pub(super) fn invoice_order(self, order: &str) -> Json {
        match (self, order.parse::<u64>()) {
            (Version::V2, Ok(number)) => Json::of(&number),
            _ => Json::string(order),
        }
    }

    /// `long-prompt`: the instructions for release notes grew; those for articles shrank (`fewer-tokens`, harmless).
    pub(super) fn prompt_words(self, skill: Skill) -> u64 {
        match (self, skill) {
            (Version::V2, Skill::Releases) => 190,
            (Version::V2, Skill::Papers) => 25,
            _ => 40,
        }
    }

    /// `extra-search`: questions about the warranty search for claims as well.
    pub(super) fn searches(self, query: &str) -> Vec<String> {
        let mut searches = vec![query.to_owned()];
        if self == Version::V2 && query.contains("warranty") {
            searches.push("warranty claim form".to_owned());
        }
        searches
    }

    /// `blank-reply`: for a customer without orders the list is left out, and nothing else is said.
    pub(super) fn no_orders(self, email: &str) -> String {
        match self {
            Version::V1 => format!("I found no orders for {email}."),
            Version::V2 => String::new(),
        }
    }
}

// ---- What taketwo must not report ------------------------------------------------------------

impl Version {
    /// `reworded`: the same news in other words.
    pub(super) fn order_line(self, order: &str, status: &str, total: &str) -> String {
        match self {
            Version::V1 => format!("Order {order} is {status}, total {total}."),
            Version::V2 => format!("Your order {order} ({total}) is {status}."),
        }
    }

    /// `other-order`: calls of one step are sent in the other order. The places of the calls, as they are sent.
    pub(super) fn sending_order(self, calls: usize) -> Vec<usize> {
        match self {
            Version::V1 => (0..calls).collect(),
            Version::V2 => (0..calls).rev().collect(),
        }
    }

    /// `key-order`: the arguments of a refund stand in another order.
    pub(super) fn refund_arguments(self, order: &str, amount: &str) -> Vec<(&'static str, Json)> {
        let (order, amount) = (("order_id", Json::string(order)), ("amount", Json::string(amount)));
        match self {
            Version::V1 => vec![order, amount],
            Version::V2 => vec![amount, order],
        }
    }

    /// `five-point-zero`: the same number, written as `5.0`.
    pub(super) fn search_limit(self) -> Json {
        match self {
            Version::V1 => Json::of(&5),
            Version::V2 => Json::of(&5.0),
        }
    }

    /// `arguments-as-text`: a calculation's arguments are sent as the JSON text of an object.
    pub(super) fn wire_form(self, tool: &str) -> WireForm {
        match (self, tool) {
            (Version::V2, "calculate") => WireForm::JsonText,
            _ => WireForm::Object,
        }
    }

    /// `decomposed`: accents in a path are characters of their own.
    pub(super) fn path(self, path: &str) -> String {
        match self {
            Version::V1 => path.nfc().collect(),
            Version::V2 => path.nfd().collect(),
        }
    }
}
