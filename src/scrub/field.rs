//! Fields whose values are always replaced, by their names.

use std::collections::HashSet;

use glob::{MatchOptions, Pattern};

/// Names of fields that hold secrets or personal data, written as [`snake_case`] writes them.
pub(super) const LISTED: &[&str] = &[
    // Secrets.
    "password",
    "passwd",
    "passphrase",
    "pwd",
    "*_password",
    "secret",
    "*_secret",
    "*secret_key",
    "private_key",
    "api_key",
    "apikey",
    "*_api_key",
    "*_apikey",
    "access_key",
    "*_access_key",
    "access_token",
    "accesstoken",
    "refresh_token",
    "id_token",
    "auth_token",
    "session_token",
    "bearer_token",
    "authorization",
    "proxy_authorization",
    "cookie",
    "set_cookie",
    "pin",
    "pin_code",
    "otp",
    "one_time_code",
    "cvv",
    "cvc",
    "cvv2",
    "security_code",
    // Names.
    "first_name",
    "firstname",
    "last_name",
    "lastname",
    "middle_name",
    "full_name",
    "fullname",
    "given_name",
    "givenname",
    "family_name",
    "familyname",
    "surname",
    "maiden_name",
    "birth_name",
    "customer_name",
    "passenger_name",
    "patient_name",
    "guest_name",
    "account_holder",
    "card_holder",
    "cardholder",
    "cardholder_name",
    "card_holder_name",
    "holder_name",
    "name_on_card",
    // What tells a person apart.
    "email",
    "email_address",
    "e_mail",
    "phone",
    "phone_number",
    "phonenumber",
    "telephone",
    "mobile",
    "mobile_number",
    "mobile_phone",
    "cell_phone",
    "fax",
    "fax_number",
    "msisdn",
    "ssn",
    "social_security_number",
    "tax_id",
    "tax_number",
    "national_id",
    "passport",
    "passport_number",
    "passport_no",
    "driver_license",
    "drivers_license",
    "license_plate",
    "date_of_birth",
    "birth_date",
    "birthdate",
    "birthday",
    "dob",
    // Places.
    "street",
    "street_address",
    "street_name",
    "address_line",
    "address_line_1",
    "address_line_2",
    "address_line1",
    "address_line2",
    "address1",
    "address2",
    "home_address",
    // Accounts.
    "iban",
    "bic_iban",
    "account_number",
    "bank_account",
    "bank_account_number",
    "routing_number",
    "sort_code",
    "card_number",
    "cardnumber",
    "credit_card",
    "credit_card_number",
    "creditcard",
    "debit_card",
    "debit_card_number",
    "card_no",
    "pan",
];

/// A pattern of names: `password`, `*_note`, or with the names of what is around it, `customer.name`. Case and the way
/// that words are joined do not count.
#[derive(Clone, Debug)]
struct FieldPattern(Vec<Pattern>);

impl FieldPattern {
    /// Reads a pattern.
    ///
    /// # Errors
    /// What is wrong with it.
    fn read(text: &str) -> Result<Self, String> {
        let text = text.strip_prefix("$.").unwrap_or(text);
        if text.trim().is_empty() || text.split('.').any(|name| name.trim().is_empty()) {
            return Err(format!("{text:?} is no name of a field"));
        }
        let names = text.split('.').map(|name| Pattern::new(&snake_case(name.strip_suffix("[*]").unwrap_or(name))));
        names.collect::<Result<_, _>>().map(Self).map_err(|error| format!("{text:?} is no pattern: {}", error.msg))
    }

    /// Whether it is the end of a path, whose names are written as [`snake_case`] writes them.
    fn covers(&self, path: &[String]) -> bool {
        let Some(from) = path.len().checked_sub(self.0.len()) else { return false };
        let options = MatchOptions::new();
        self.0.iter().zip(&path[from..]).all(|(pattern, name)| pattern.matches_with(name, options))
    }
}

/// Patterns of names, most of them plain.
#[derive(Clone, Debug, Default)]
pub(super) struct FieldPatterns {
    /// Single names without a wildcard.
    names: HashSet<String>,
    others: Vec<FieldPattern>,
}

impl FieldPatterns {
    pub(super) fn add(&mut self, text: &str) -> Result<(), String> {
        let pattern = FieldPattern::read(text)?;
        match pattern.0.as_slice() {
            [name] if !name.as_str().contains(['*', '?', '[']) => drop(self.names.insert(name.as_str().to_owned())),
            _ => self.others.push(pattern),
        }
        Ok(())
    }

    /// Whether one of them is the end of a path.
    pub(super) fn cover(&self, path: &[String]) -> bool {
        path.last().is_some_and(|name| self.names.contains(name))
            || self.others.iter().any(|pattern| pattern.covers(path))
    }
}

/// A name with its words in lower case and joined by `_`: `firstName`, `First-Name` and `first_name` are one.
pub(super) fn snake_case(name: &str) -> String {
    let mut snake = String::with_capacity(name.len() + 4);
    let mut last: Option<char> = None;
    let mut characters = name.trim().chars().peekable();
    while let Some(character) = characters.next() {
        if character == '-' || character == ' ' || character == '_' {
            if !snake.is_empty() && !snake.ends_with('_') {
                snake.push('_');
            }
        } else {
            let after_small = last.is_some_and(|last| last.is_lowercase() || last.is_ascii_digit());
            let ends_capitals =
                last.is_some_and(char::is_uppercase) && characters.peek().is_some_and(|next| next.is_lowercase());
            if character.is_uppercase() && (after_small || ends_capitals) && !snake.ends_with('_') {
                snake.push('_');
            }
            snake.extend(character.to_lowercase());
        }
        last = Some(character);
    }
    snake
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_one_however_their_words_are_joined() {
        for name in ["firstName", "FirstName", "first_name", "First-Name", "first name", "FIRST_NAME"] {
            assert_eq!(snake_case(name), "first_name", "{name}");
        }
        assert_eq!(snake_case("userSSN"), "user_ssn");
        assert_eq!(snake_case("APIKey"), "api_key");
    }

    #[test]
    fn a_pattern_is_the_end_of_a_path() {
        let path = |names: &[&str]| names.iter().map(|name| snake_case(name)).collect::<Vec<_>>();
        let covers = |pattern: &str, names: &[&str]| FieldPattern::read(pattern).unwrap().covers(&path(names));
        assert!(covers("customer.name", &["order", "Customer", "name"]));
        assert!(!covers("customer.name", &["product", "name"]));
        assert!(covers("*Note", &["x", "delivery_note"]) && covers("secret*", &["secretKey"]));
        assert!(covers("address.*", &["address", "city"]) && !covers("address.*", &["address"]));
        assert!(
            FieldPattern::read("").is_err() && FieldPattern::read("a..b").is_err() && FieldPattern::read("a[").is_err()
        );
    }

    #[test]
    fn what_is_listed_is_written_as_it_is_matched() {
        for pattern in LISTED {
            assert!(FieldPattern::read(pattern).is_ok());
            assert_eq!(*pattern, snake_case(pattern));
        }
    }
}
