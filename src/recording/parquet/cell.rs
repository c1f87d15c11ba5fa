//! One cell of a column as a value, whatever the column's type.

use std::fmt::{Display, Write};

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Decimal128Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt8Type,
    UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, StructArray};
use arrow_schema::{DataType, TimeUnit};
use jiff::civil;
use jiff::tz::TimeZone;

use super::super::json::{Fault, FaultKind, Json, MAX_DEPTH};
use super::super::wire::Value;

/// What stands in a cell.
#[derive(Debug)]
pub(super) enum Cell<'a> {
    Null,
    Text(&'a str),
    Whole(i64),
    Number(f64),
    Flag(bool),
    /// A whole number beyond 64 bits with sign, a decimal, a list or a struct.
    Json(Json),
    /// A time.
    Time(String),
}

impl Cell<'_> {
    /// The value, if there is one.
    pub(super) fn value(&self) -> Option<Value<'_>> {
        Some(match self {
            Cell::Null => return None,
            Cell::Text(text) => Value::Text(text),
            Cell::Time(text) => Value::Text(text),
            Cell::Whole(whole) => Value::Whole(*whole),
            Cell::Number(number) => Value::Float(*number),
            Cell::Flag(flag) => Value::Flag(*flag),
            Cell::Json(json) => Value::Json(json),
        })
    }
}

/// Whether cells of this type can be read.
pub(super) fn is_readable(kind: &DataType) -> bool {
    fn at(kind: &DataType, depth: usize) -> bool {
        depth < MAX_DEPTH
            && match kind {
                DataType::Struct(columns) => columns.iter().all(|column| at(column.data_type(), depth + 1)),
                DataType::List(item) | DataType::Map(item, _) => at(item.data_type(), depth + 1),
                DataType::Timestamp(..) | DataType::Decimal128(..) => true,
                DataType::Null | DataType::Boolean | DataType::Utf8View | DataType::Date32 => true,
                DataType::Float32 | DataType::Float64 => true,
                other => other.is_integer(),
            }
    }
    at(kind, 1)
}

/// Reads a cell.
///
/// # Errors
/// [`Fault`] where a struct has two columns of one name.
pub(super) fn cell(column: &dyn Array, row: usize) -> Result<Cell<'_>, Fault> {
    if column.is_null(row) {
        return Ok(Cell::Null);
    }
    Ok(match column.data_type() {
        DataType::Utf8View | DataType::BinaryView => text(column, row)?.map_or(Cell::Null, Cell::Text),
        DataType::Boolean => Cell::Flag(column.as_boolean().value(row)),
        DataType::Int64 => Cell::Whole(column.as_primitive::<Int64Type>().value(row)),
        DataType::Int32 => Cell::Whole(column.as_primitive::<Int32Type>().value(row).into()),
        DataType::Int16 => Cell::Whole(column.as_primitive::<Int16Type>().value(row).into()),
        DataType::Int8 => Cell::Whole(column.as_primitive::<Int8Type>().value(row).into()),
        DataType::UInt64 => {
            let whole = column.as_primitive::<UInt64Type>().value(row);
            i64::try_from(whole).map_or_else(|_| Cell::Json(Json::of(&whole)), Cell::Whole)
        }
        DataType::UInt32 => Cell::Whole(column.as_primitive::<UInt32Type>().value(row).into()),
        DataType::UInt16 => Cell::Whole(column.as_primitive::<UInt16Type>().value(row).into()),
        DataType::UInt8 => Cell::Whole(column.as_primitive::<UInt8Type>().value(row).into()),
        DataType::Float64 => Cell::Number(column.as_primitive::<Float64Type>().value(row)),
        DataType::Float32 => Cell::Number(widened(column.as_primitive::<Float32Type>().value(row))),
        DataType::Decimal128(_, scale) => {
            Cell::Json(Json::trusted(decimal(column.as_primitive::<Decimal128Type>().value(row), *scale)))
        }
        DataType::Date32 => Cell::Time(date(column.as_primitive::<Date32Type>().value(row))),
        DataType::Timestamp(unit, zone) => Cell::Time(time(column, row, *unit, zone.is_some())),
        DataType::List(_) | DataType::Struct(_) | DataType::Map(..) => {
            let mut text = String::new();
            write_json(&mut text, column, row)?;
            Cell::Json(Json::parse(text)?)
        }
        _ => Cell::Null,
    })
}

/// The text of a cell, if the column holds texts and this is one.
///
/// # Errors
/// [`Fault`] where bytes that nobody marked as text are none.
pub(super) fn text(column: &dyn Array, row: usize) -> Result<Option<&str>, Fault> {
    if column.is_null(row) {
        return Ok(None);
    }
    if let Some(bytes) = column.as_binary_view_opt() {
        let fault = |error: std::str::Utf8Error| Fault { offset: error.valid_up_to(), kind: FaultKind::NotUtf8 };
        return std::str::from_utf8(bytes.value(row)).map(Some).map_err(fault);
    }
    Ok(column.as_string_view_opt().map(|texts| texts.value(row)))
}

/// Appends a cell as JSON.
fn write_json(out: &mut String, column: &dyn Array, row: usize) -> Result<(), Fault> {
    if column.is_null(row) {
        out.push_str("null");
        return Ok(());
    }
    match column.data_type() {
        DataType::List(_) => {
            let items = column.as_list::<i32>().value(row);
            write_parts(out, ['[', ']'], items.len(), &mut |out, index| write_json(out, &items, index))
        }
        DataType::Map(..) => {
            let pairs = column.as_map().value(row);
            write_map(out, &pairs)
        }
        DataType::Struct(_) => {
            let parts = column.as_struct();
            let names = parts.column_names();
            write_parts(out, ['{', '}'], names.len(), &mut |out, index| {
                out.push_str(Json::string(names[index]).text());
                out.push(':');
                write_json(out, parts.column(index), row)
            })
        }
        _ => {
            let cell = cell(column, row)?;
            out.push_str(cell.value().map_or_else(Json::null, |value| value.to_json()).text());
            Ok(())
        }
    }
}

/// A map with keys that are texts is an object.
fn write_map(out: &mut String, pairs: &StructArray) -> Result<(), Fault> {
    let (keys, values) = (pairs.column(0), pairs.column(1));
    write_parts(out, ['{', '}'], pairs.len(), &mut |out, index| {
        let key = cell(keys, index)?.value().map_or_else(Json::null, |value| value.to_json());
        out.push_str(Json::string(&key.shown()).text());
        out.push(':');
        write_json(out, values, index)
    })
}

/// Writes one part of a list or object.
type WritePart<'a> = dyn FnMut(&mut String, usize) -> Result<(), Fault> + 'a;

fn write_parts(
    out: &mut String,
    [open, close]: [char; 2],
    count: usize,
    write: &mut WritePart<'_>,
) -> Result<(), Fault> {
    out.push(open);
    for index in 0..count {
        if index > 0 {
            out.push(',');
        }
        write(out, index)?;
    }
    out.push(close);
    Ok(())
}

/// The double that a person would write for this single: 0.1, not 0.10000000149011612.
fn widened(single: f32) -> f64 {
    single.to_string().parse().unwrap_or_else(|_| single.into())
}

/// A decimal with all its digits.
fn decimal(unscaled: i128, scale: i8) -> String {
    let digits = unscaled.unsigned_abs().to_string();
    let mut text = String::from(if unscaled < 0 { "-" } else { "" });
    match usize::try_from(scale) {
        Ok(0) => text.push_str(&digits),
        Ok(scale) => {
            let digits = format!("{digits:0>width$}", width = scale + 1);
            let (whole, part) = digits.split_at(digits.len() - scale);
            // Writing to a string cannot fail.
            let _ = write!(text, "{whole}.{part}");
        }
        Err(_) => {
            let zeros = usize::from(scale.unsigned_abs());
            let _ = write!(text, "{digits}{}", if unscaled == 0 { String::new() } else { "0".repeat(zeros) });
        }
    }
    text
}

fn date(days: i32) -> String {
    let seconds = i64::from(days) * 86_400;
    jiff::Timestamp::from_second(seconds)
        .map(|time| TimeZone::UTC.to_datetime(time).date())
        .map_or_else(|_| out_of_range(days), |date: civil::Date| date.to_string())
}

/// A time in ISO 8601: with Z where the column is in UTC, without a zone where it is local.
fn time(column: &dyn Array, row: usize, unit: TimeUnit, utc: bool) -> String {
    let (value, nanos) = match unit {
        TimeUnit::Second => (column.as_primitive::<TimestampSecondType>().value(row), 1_000_000_000),
        TimeUnit::Millisecond => (column.as_primitive::<TimestampMillisecondType>().value(row), 1_000_000),
        TimeUnit::Microsecond => (column.as_primitive::<TimestampMicrosecondType>().value(row), 1_000),
        TimeUnit::Nanosecond => (column.as_primitive::<TimestampNanosecondType>().value(row), 1),
    };
    match jiff::Timestamp::from_nanosecond(i128::from(value) * nanos) {
        Ok(time) if utc => time.to_string(),
        Ok(time) => TimeZone::UTC.to_datetime(time).to_string(),
        Err(_) => out_of_range(value),
    }
}

/// A time that no calendar has is shown as the number it was.
fn out_of_range(value: impl Display) -> String {
    value.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_keep_every_digit() {
        assert_eq!(decimal(5, 2), "0.05");
        assert_eq!(decimal(-12_345, 2), "-123.45");
        assert_eq!(decimal(7, 0), "7");
        assert_eq!(decimal(7, -2), "700");
        assert_eq!(decimal(i128::MAX, 10), "17014118346046923173168730371.5884105727");
    }

    #[test]
    fn times_are_iso() {
        assert_eq!(date(20_000), "2024-10-04");
        assert_eq!(widened(0.1), 0.1);
    }
}
