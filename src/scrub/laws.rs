//! What holds for everything that is scrubbed.

use proptest::prelude::*;

use super::{ScrubKey, ScrubRules, Scrubber};
use crate::recording::{Interaction, Json, ToolCall, ToolName, check};

fn scrubber() -> Scrubber {
    let rules = r#"fields = ["note_to", "owner.name"]
        [[pattern]]
        name = "customer-id"
        regex = 'CUST-(\d{6})'
        [[pattern]]
        name = "words"
        regex = 'ZQ\w+'"#;
    let rules: ScrubRules = toml::from_str(rules).unwrap();
    Scrubber::new(&rules, ScrubKey::new("the key of the laws of scrubbing", "the test").unwrap()).unwrap()
}

/// Texts in which something is found, in which nothing is, and the edges between them.
fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("jane@corp.com"),
        Just("JANE@corp.com"),
        Just("x.y+z@a-b.co.uk"),
        Just("a%40b.de"),
        Just("4539578763621486"),
        Just("4539 5787 6362 1486"),
        Just("5412-0000-0792-6352"),
        Just("371449635398431"),
        Just("DE89 3704 0044 0532 0130 00"),
        Just("GB82WEST12345698765432"),
        Just("+49 170 1234567"),
        Just("+14155552671"),
        Just("(415) 555-2671"),
        Just("tel 0170 1234567"),
        Just("078-05-1120"),
        Just("sk-proj-aB3dE5fG7hI9jK1lM3nO5pQ7"),
        Just("AKIAQWERTYUIOPASDFGH"),
        Just("password=hunter2x9"),
        Just("Bearer aB3dE5fG7hI9jK1lM3"),
        Just("https://u:pw12@h.com"),
        Just("CUST-123456"),
        Just("ZQx"),
        Just("card"),
        Just("order"),
        Just("call"),
        Just("id"),
        Just(" "),
        Just(","),
        Just(" - "),
        Just("@"),
        Just("+"),
        Just("."),
        Just("\""),
        Just("\\"),
        Just("\\n"),
        Just("\n"),
        Just("é😀"),
        Just("\u{0}"),
        Just("0"),
        Just("42"),
        Just("-----BEGIN PRIVATE KEY-----\naB3dE5fG7hI9jK1lM3nO5pQ7\n-----END PRIVATE KEY-----"),
        Just("Yusuf"),
        Just("Rossi"),
        Just("scrubbed-"),
        Just("user-"),
        Just("9999"),
        Just("{"),
        Just("[1]"),
    ]
    .prop_map(str::to_owned)
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => prop::collection::vec(piece(), 0..5).prop_map(|pieces| pieces.concat()),
        1 => ".{0,12}",
    ]
}

fn number() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("4539578763621486".to_owned()),
        Just("4.539578763621486e15".to_owned()),
        Just("14155552671".to_owned()),
        Just("1.5".to_owned()),
        any::<i64>().prop_map(|number| number.to_string()),
        "[1-9][0-9]{0,24}",
    ]
}

fn name() -> impl Strategy<Value = String> {
    let names =
        ["password", "firstName", "card_number", "phone", "id", "note_to", "owner", "name", "q", "account_number"];
    prop_oneof![4 => prop::sample::select(names.to_vec()).prop_map(str::to_owned), 1 => text()]
}

/// JSON as text, with JSON in texts.
fn json() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        4 => text().prop_map(|text| Json::string(&text).text().to_owned()),
        2 => number(),
        1 => Just("null".to_owned()),
        1 => Just("true".to_owned()),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            2 => prop::collection::vec(inner.clone(), 0..4).prop_map(|items| format!("[ {} ]", items.join(" , "))),
            3 => prop::collection::btree_map(name(), inner.clone(), 0..4).prop_map(|members| {
                let members = members.iter().map(|(name, value)| format!("{}: {value}", Json::string(name).text()));
                format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
            }),
            1 => inner.prop_map(|inner| Json::string(&inner).text().to_owned()),
        ]
    })
}

fn interaction() -> impl Strategy<Value = Interaction> {
    (json(), json(), json(), text()).prop_map(|(input, arguments, result, session)| {
        let read = |text: &str| Json::parse(text).unwrap();
        let mut call = ToolCall::new(ToolName::new("t"), Some(read(&arguments)));
        call.result = Some(read(&result));
        let session = Some(session);
        Interaction { tool_calls: Some(vec![call]), session, ..Interaction::new(read(&input)) }
    })
}

/// What stands in JSON, but for texts and numbers: its outline.
fn outline(json: &Json) -> String {
    if let Some(members) = json.members() {
        return format!("{{{}}}", members.iter().map(|(_, value)| outline(value)).collect::<Vec<_>>().join(","));
    }
    match json.items() {
        Some(items) => format!("[{}]", items.iter().map(outline).collect::<Vec<_>>().join(",")),
        None => json.kind().to_string(),
    }
}

proptest! {
    #[test]
    fn what_was_scrubbed_stays_as_it_is(json in json()) {
        let scrubber = scrubber();
        let once = scrubber.json(&Json::parse(json).unwrap());
        prop_assert_eq!(scrubber.json(&once), once);
    }

    #[test]
    fn an_interaction_that_was_scrubbed_stays_as_it_is(interaction in interaction()) {
        let scrubber = scrubber();
        let once = scrubber.interaction(interaction);
        prop_assert_eq!(scrubber.interaction(once.clone()), once);
    }

    #[test]
    fn json_stays_json_of_the_same_outline(json in json()) {
        let before = Json::parse(json).unwrap();
        let after = scrubber().json(&before);
        prop_assert!(check(after.text()).is_ok());
        prop_assert_eq!(outline(&after), outline(&before));
    }

    #[test]
    fn what_holds_nothing_comes_back_to_the_byte(text in "[a-z {}\\[\\]:,.!?\"\\\\0-9é\n-]{0,6}") {
        let json = Json::string(&text);
        prop_assert_eq!(scrubber().json(&json), json);
        prop_assert_eq!(scrubber().text(&text), text);
    }

    #[test]
    fn what_stands_around_a_value_stays(before in "[a-zé😀\n\"\\\\/ ]{0,8} ", after in " [a-zé😀\n\"\\\\/ ]{0,8}") {
        let whole = Json::string(&format!("{before}jane@corp.com{after}"));
        let scrubbed = scrubber().json(&whole);
        let text = scrubbed.as_str().unwrap();
        prop_assert!(text.starts_with(&before) && text.ends_with(&after) && !text.contains("jane"), "{}", text);
    }

    #[test]
    fn equal_values_stay_equal_and_others_stay_apart(one in "[a-c]{1,2}@[a-b]{1,2}\\.de", other in "[A-Ca-c]{1,2}@[a-b]{1,2}\\.de") {
        let scrubber = scrubber();
        let are_equal = one.to_lowercase() == other.to_lowercase();
        prop_assert_eq!(scrubber.text(&one) == scrubber.text(&other), are_equal);
        let in_json = scrubber.json(&Json::of(&serde_json::json!({ "q": [other.clone()], "x": format!("[\"{one}\"]") })));
        prop_assert_eq!(in_json.text().contains(&scrubber.text(&one)), true);
        prop_assert_eq!(in_json.text().contains(&scrubber.text(&other)), true);
    }

    #[test]
    fn cards_keep_their_length_and_check(digits in "4[0-9]{14}") {
        let sum = |digits: &str| digits.bytes().rev().enumerate().map(|(at, byte)| {
            let digit = u32::from(byte - b'0') << (at % 2);
            digit / 10 + digit % 10
        }).sum::<u32>();
        let card = format!("{digits}{}", (10 - sum(&format!("{digits}0")) % 10) % 10);
        let scrubbed = scrubber().text(&card);
        prop_assert!(scrubbed != card && scrubbed.len() == 16 && sum(&scrubbed).is_multiple_of(10), "{}", scrubbed);
    }
}

#[test]
fn each_kind_keeps_its_shape() {
    let scrubber = scrubber();
    let account = scrubber.text("DE89 3704 0044 0532 0130 00");
    assert!(account.parse::<iban::Iban>().is_ok() && account.starts_with("DE") && account.len() == 27, "{account}");
    let phone = scrubber.text("+49 (170) 123-4567");
    assert!(phone.starts_with("+99 (9") && phone.len() == 18, "{phone}");
    let key = scrubber.text("sk-proj-aB3dE5fG7hI9jK1lM3nO5pQ7");
    assert!(key.starts_with("sk-proj-") && key.len() == 32, "{key}");
    let json = scrubber.json(&Json::parse(r#"{"card": 4539578763621486.0, "pin": 1234}"#).unwrap());
    assert!(
        json.members().unwrap().iter().all(|(_, value)| value.kind() == crate::recording::Kind::Number),
        "{json:?}"
    );
}

#[test]
fn names_that_become_one_stay_apart() {
    let json =
        Json::parse(r#"{"Jane@corp.com": 1, "jane@corp.com": 2, "in": "{\"JANE@corp.com\":1,\"jane@corp.com\":2}"}"#);
    let scrubbed = scrubber().json(&json.unwrap());
    assert!(!scrubbed.text().to_lowercase().contains("jane"), "{scrubbed:?}");
    assert_eq!(scrubbed.members().unwrap().len(), 3);
    assert_eq!(scrubber().json(&scrubbed), scrubbed);
}

#[test]
fn what_an_agent_passes_on_is_scrubbed_with_what_it_came_from() {
    let line = r#"{"input":"I am Yusuf Rossi, find me","toolCalls":[{"name":"find","arguments":{"query":"Rossi"},
        "result":{"last_name":"Rossi","full_name":"Yusuf Rossi"}},{"name":"mail","arguments":{"body":"Dear Yusuf Rossi"}}]}"#;
    let recorded = crate::recording::wire::read(&Json::parse(line).unwrap()).unwrap();
    let scrubbed = crate::recording::wire::write(&scrubber().interaction(recorded));
    assert!(!scrubbed.contains("Rossi") && !scrubbed.contains("Yusuf"), "{scrubbed}");
}

#[test]
fn rules_say_what_goes_and_what_stays() {
    let rules = |text: &str| {
        let rules: ScrubRules = toml::from_str(text).unwrap();
        Scrubber::new(&rules, ScrubKey::new("the key of the rules of scrubbing", "the test").unwrap()).unwrap()
    };
    let json =
        Json::parse(r#"{"email":"a@b.de","to":"Help@Shop.com","first_name":"Jane","x":{"y":"c@d.de"}}"#).unwrap();
    let goes = |text: &str| {
        let scrubbed = rules(text).json(&json).text().to_owned();
        ["a@b.de", "Help@Shop.com", "Jane", "c@d.de"].map(|value| !scrubbed.contains(value))
    };
    assert_eq!(goes(""), [true; 4]);
    assert_eq!(goes(r#"keep = ["*@shop.com"]"#), [true, false, true, true]);
    assert_eq!(goes(r#"not-fields = ["firstName"]"#), [true, true, false, true]);
    assert_eq!(goes(r#"exempt-fields = ["x.*"]"#), [true, true, true, false]);
    assert_eq!(goes(r#"off = ["email"]"#), [true, false, true, false], "a listed field goes for its name");
    assert_eq!(goes(r#"off = ["email", "field"]"#), [false; 4]);
    assert_eq!(goes("off = [\"email\", \"field\"]\nfields = [\"x.y\"]"), [false, false, false, true]);
    let tool = crate::recording::ToolName::new("get_weather");
    assert_eq!(rules(r#"exempt-tools = ["get_*"]"#).arguments(&tool, &json), json);
}

#[test]
fn rules_that_make_no_sense_are_refused() {
    let refused = |text: &str| {
        let rules: ScrubRules = toml::from_str(text).unwrap();
        Scrubber::new(&rules, ScrubKey::new("the key of the rules of scrubbing", "the test").unwrap())
            .unwrap_err()
            .to_string()
    };
    assert!(refused(r#"off = ["emails"]"#).contains("emails"));
    assert!(refused(r#"fields = [""]"#).contains("no name"));
    let own = |name: &str, regex: &str| refused(&format!("[[pattern]]\nname = \"{name}\"\nregex = '{regex}'"));
    assert!(own("email", "x").contains("taken") && own("x", "(").contains('(') && own("x", "a*").contains("nothing"));
    assert!(toml::from_str::<ScrubRules>("field = []").is_err());
    assert!(ScrubKey::new("short", "x").is_err());
}

#[test]
fn a_card_with_signs_around_it_in_its_field_stays_as_it_is_once_scrubbed() {
    let scrubber = scrubber();
    for written in ["4539578763621486 - ", "- 4539578763621486", "4539 5787 6362 1486 -", "4539-5787-6362-1486"] {
        let json = Json::parse(format!("{{\"card_number\":\"{written}\"}}")).unwrap();
        let once = scrubber.json(&json);
        assert_ne!(once, json);
        assert_eq!(scrubber.json(&once), once, "{written}");
    }
}
