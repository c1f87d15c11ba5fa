//! The fields of an interaction and of a tool call, with their names in JSONL and in Parquet.

/// Declares an enum of fields with the key each has in JSON and the column each has in Parquet.
macro_rules! fields {
    ($(#[$doc:meta])* $name:ident { $($field:ident $key:literal $column:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum $name { $($field,)+ }

        impl $name {
            /// All of them, in the order they are written.
            pub(super) const ALL: &'static [Self] = &[$(Self::$field,)+];

            /// The field with this key in JSON.
            pub(super) fn of_key(key: &str) -> Option<Self> {
                match key {
                    $($key => Some(Self::$field),)+
                    _ => None,
                }
            }

            /// The field that is meant by another spelling of its key, as `tool_calls` or `Output`.
            pub(super) fn of_other_spelling(key: &str) -> Option<Self> {
                let letters = |text: &str| text.replace(['_', '-'], "").to_lowercase();
                let wanted = letters(key);
                Self::ALL.iter().copied().find(|field| letters(field.key()) == wanted)
            }

            /// The field with this column in Parquet.
            pub(super) fn of_column(column: &str) -> Option<Self> {
                match column {
                    $($column => Some(Self::$field),)+
                    _ => None,
                }
            }

            /// Its key in JSON.
            pub(super) fn key(self) -> &'static str {
                match self {
                    $(Self::$field => $key,)+
                }
            }

            /// Its column in Parquet.
            pub(super) fn column(self) -> &'static str {
                match self {
                    $(Self::$field => $column,)+
                }
            }
        }
    };
}

fields! {
    /// A field of an interaction.
    Field {
        Id "id" "id",
        Input "input" "input",
        Output "output" "output",
        ToolCalls "toolCalls" "tool_calls",
        ModelCalls "modelCalls" "model_calls",
        Tokens "tokens" "tokens",
        LatencyMs "latencyMs" "latency_ms",
        Cost "cost" "cost",
        Currency "currency" "currency",
        History "history" "history",
        Scenario "scenario" "scenario",
        Tags "tags" "tags",
        Weight "weight" "weight",
        Session "session" "session",
        Turn "turn" "turn",
        Agent "agent" "agent",
        Model "model" "model",
        RecordedAt "recordedAt" "recorded_at",
        Failure "failure" "failure",
        Truncated "truncated" "truncated",
        Variants "variants" "variants",
    }
}

fields! {
    /// A field of a tool call.
    CallField {
        Name "name" "name",
        Arguments "arguments" "arguments",
        Result "result" "result",
        Error "error" "error",
        Id "id" "id",
        Step "step" "step",
        LatencyMs "latencyMs" "latency_ms",
        Effect "effect" "effect",
        Agent "agent" "agent",
        Truncated "truncated" "truncated",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_leads_back_to_its_field() {
        for &field in Field::ALL {
            assert_eq!(Field::of_key(field.key()), Some(field));
            assert_eq!(Field::of_column(field.column()), Some(field));
        }
        for &field in CallField::ALL {
            assert_eq!(CallField::of_key(field.key()), Some(field));
            assert_eq!(CallField::of_column(field.column()), Some(field));
        }
    }
}
