//! Recordings as Parquet: one row an interaction, with the fields of JSONL in snake_case.
//!
//! Tool calls are a list of structs and values of any JSON are text, so that every digit stays. What the typed
//! columns do not give back exactly stands in the column `extra`, as in [`Interaction::extra`].
//!
//! [`Interaction::extra`]: super::Interaction::extra

mod cell;
mod plan;
mod read;
mod schema;
mod table;
mod write;

pub use plan::ParquetFault;
pub(super) use read::rows;
pub use schema::{SCHEMA, SCHEMA_KEY};
pub(super) use table::{column_names, table};
pub(super) use write::ParquetWriter;

#[cfg(test)]
mod tests;
