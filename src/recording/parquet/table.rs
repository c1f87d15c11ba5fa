//! Parquet files of other tools: each row as the JSON object of its columns.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use arrow_array::{RecordBatch, StructArray};
use parquet::arrow::arrow_reader::ArrowReaderMetadata;

use super::super::json::Json;
use super::super::place::{At, Reject};
use super::super::wire::RowFault;
use super::cell::{Cell, cell};
use super::plan::{Columns, ParquetFault};
use super::read::{ParquetRows, RowReader};

/// A row with its place.
type TableRow = Result<(At, Json), Reject>;

/// Opens any Parquet file: each row is the object of its columns under their names, with nested columns as JSON and
/// times as RFC 3339. A cell of a type that JSON has nothing for is null.
pub(in crate::recording) fn table(
    file: Arc<Path>,
    opened: File,
) -> Result<Box<dyn Iterator<Item = TableRow> + Send>, ParquetFault> {
    let columns = Columns::new(&opened)?;
    Ok(Box::new(ParquetRows::new(file, opened, columns)))
}

/// The names of the columns of any Parquet file.
pub(in crate::recording) fn column_names(opened: &File) -> Result<Vec<String>, ParquetFault> {
    Ok(Columns::new(opened)?.columns.iter().map(|column| column.name().clone()).collect())
}

impl RowReader for Columns {
    type Row = Json;

    fn metadata(&self) -> &ArrowReaderMetadata {
        &self.metadata
    }

    fn row(&self, batch: &RecordBatch, row: usize) -> Result<Json, RowFault> {
        let columns = StructArray::from(batch.clone());
        match cell(&columns, row)? {
            Cell::Json(json) => Ok(json),
            _ => Ok(Json::null()),
        }
    }
}
