use super::*;
use crate::compare::Change;
use crate::recording::ToolCall;

const SCHEMA: &str =
    r#"{"type":"object","properties":{"page":{"type":"integer"}},"required":["page"],"additionalProperties":false}"#;

fn parse(text: &str) -> ToolDefinitions {
    ToolDefinitions::parse("tools.json", text).unwrap()
}

fn refused(text: &str) -> String {
    ToolDefinitions::parse("tools.json", text).unwrap_err().to_string()
}

fn status(tools: &ToolDefinitions, tool: &str, arguments: &str) -> CallStatus {
    let arguments = Some(arguments).filter(|text| !text.is_empty()).map(|text| Json::parse(text).unwrap());
    tools.status(&ToolCall::new(ToolName::new(tool), arguments))
}

fn faults(schema: &str, arguments: &str) -> Vec<String> {
    let schema = ToolSchema::compile(Json::parse(schema).unwrap()).unwrap();
    schema.faults(&Json::parse(arguments).unwrap()).iter().map(ToString::to_string).collect()
}

#[test]
fn every_form_says_the_same() {
    let forms = [
        // OpenAI: Chat, with and without the type, Responses, the functions of old.
        r#"[{"type":"function","function":{"name":"search","strict":true,"parameters":S}}]"#,
        r#"{"model":"m","messages":[],"tools":[{"function":{"name":"search","parameters":S}}]}"#,
        r#"[{"type":"function","name":"search","parameters":S,"strict":null}]"#,
        r#"{"functions":[{"name":"search","parameters":S}]}"#,
        r#"{"tools":[{"type":"namespace","name":"n","tools":[{"type":"function","name":"search","parameters":S}]}]}"#,
        // Anthropic, MCP, Bedrock.
        r#"{"tools":[{"name":"search","input_schema":S},{"type":"custom","name":"search","input_schema":S}]}"#,
        r#"{"tools":[{"name":"search","inputSchema":S,"outputSchema":{"type":"nonsense"}}],"nextCursor":"x"}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"search","inputSchema":S}]}}"#,
        r#"[{"result":{"tools":[]}},{"tools":[{"name":"search","inputSchema":S}]}]"#,
        r#"{"toolConfig":{"tools":[{"toolSpec":{"name":"search","inputSchema":{"json":S}}},{"cachePoint":{"type":"default"}}]}}"#,
        // Gemini.
        r#"{"tools":[{"functionDeclarations":[{"name":"search","parametersJsonSchema":S}]}],"toolConfig":{"functionCallingConfig":{}}}"#,
        r#"{"functionDeclarations":[{"name":"search","parameters":{"type":"OBJECT","properties":{"page":{"type":"INTEGER"}},"required":["page"],"additionalProperties":false}}]}"#,
        // One definition, a schema as a text, a byte order mark.
        "\u{feff}{\"name\":\"search\",\"parameters\":S}",
        r#"[{"function":{"name":"search","parameters":T}}]"#,
    ];
    let text = Json::string(SCHEMA);
    let hashes = forms.map(|form| {
        let tools = parse(&form.replace(":S", &format!(":{SCHEMA}")).replace(":T", &format!(":{}", text.text())));
        assert_eq!(status(&tools, "search", r#"{"page":1}"#), CallStatus::Valid, "{form}");
        assert!(matches!(status(&tools, "search", "{}"), CallStatus::Invalid(_)), "{form}");
        assert_eq!(status(&tools, "find", "{}"), CallStatus::UnknownTool, "{form}");
        tools.hash()
    });
    assert!(hashes.iter().all(|hash| *hash == hashes[0]), "{hashes:?}");
}

#[test]
fn tools_that_a_provider_brings_along_are_known_without_a_schema() {
    let tools = parse(
        r#"{"tools":[{"type":"web_search"},{"type":"bash_20250124","name":"bash"},{"googleSearch":{}},
        {"type":"custom","custom":{"name":"run"}},{"type":"custom","name":"patch","format":{"type":"text"}},
        {"type":"function","name":"now"},{"functionDeclarations":[{"name":"here"}],"codeExecution":{}},
        {"type":"mcp","server_label":"wiki","allowed_tools":["ask"]}]}"#,
    );
    let names: Vec<&str> = tools.names().map(ToolName::as_str).collect();
    assert_eq!(names, ["ask", "bash", "codeExecution", "googleSearch", "here", "now", "patch", "run", "web_search"]);
    assert!(names.iter().all(|name| status(&tools, name, r#"{"any":1}"#) == CallStatus::Unchecked));
    assert_eq!(status(&tools, "other", "{}"), CallStatus::UnknownTool);
}

#[test]
fn where_a_server_brings_tools_of_its_own_no_tool_is_unknown() {
    for server in [r#"{"type":"mcp","server_label":"wiki"}"#, r#"{"type":"mcp_toolset","mcp_server_name":"x"}"#] {
        let tools = parse(&format!(r#"[{server},{{"name":"search","input_schema":{SCHEMA}}}]"#));
        assert_eq!(status(&tools, "other", "{}"), CallStatus::Unchecked);
        assert!(matches!(status(&tools, "search", "{}"), CallStatus::Invalid(_)));
    }
}

#[test]
fn what_is_no_definition_is_named_with_its_place() {
    for (text, says) in [
        ("{\"tools\":\n  [{\"name\":}]}", "tools.json:2:12: unexpected '}'"),
        (r#"{"model":"m","messages":[]}"#, "tools.json: $: expected tool definitions"),
        ("7", "seen a number"),
        (r#"[{"name":"search","arguments":{}}]"#, "tools.json: $[0]: expected a tool definition"),
        (r#"[{"name":"search","arguments":{}}]"#, "seen an object with name, arguments"),
        (r#"[{"id":"1","type":"function","function":{"name":"f","arguments":"{}"}}]"#, "$[0]: expected a tool def"),
        (r#"[{"type":"tool_use","name":"f","input":{}}]"#, "$[0]: expected a tool def"),
        (r#"[{"type":"function"}]"#, "$[0]: expected a tool def"),
        (r#"{"tools":[{"name":" ","input_schema":{}}]}"#, "$.tools[0]: expected the name of a tool"),
        (r#"{"tools":{"search":{}}}"#, "$.tools: expected a list of tool definitions, seen an object with search"),
        (r#"{"tools":[{"name":"f","input_schema":[]}]}"#, "$.tools[0].input_schema: expected the JSON Schema"),
        (
            r#"[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{"a":{"type":"strng"}}}}}]"#,
            "tools.json: $[0].function.parameters: the schema of f is none: $.properties.a.type: expected",
        ),
        ("[]", "no tool is declared in tools.json"),
    ] {
        let error = refused(text);
        assert!(error.contains(says), "{text}: {error}");
    }
}

#[test]
fn a_reference_that_leads_out_of_the_schema_is_refused_and_never_followed() {
    for reference in ["http://127.0.0.1:9/schema.json", "file:///etc/passwd", "#/$defs/Missing", "other.json"] {
        let error = refused(&format!(r#"[{{"name":"f","input_schema":{{"$ref":"{reference}"}}}}]"#));
        assert!(error.contains("the schema of f is none"), "{error}");
    }
}

#[test]
fn the_same_tool_twice_must_have_the_same_schema() {
    let twice =
        |other: &str| format!(r#"[{{"name":"f","input_schema":{SCHEMA}}},{{"name":"f","inputSchema":{other}}}]"#);
    let reworded = SCHEMA.replace(r#"{"type":"integer"}"#, r#"{"description":"Which page.","type":"integer"}"#);
    assert_eq!(parse(&twice(&reworded)).hash(), parse(&twice(SCHEMA)).hash());
    let error = refused(&twice(&SCHEMA.replace("integer", "string")));
    let says = "f is declared twice with different schemas: at tools.json: $[0].input_schema, and at tools.json: $[1].inputSchema";
    assert_eq!(error, says);
    assert_eq!(
        parse(&format!(r#"[{{"type":"function","name":"f"}},{{"name":"f","input_schema":{SCHEMA}}}]"#)).hash(),
        parse(&twice(SCHEMA)).hash()
    );
}

#[test]
fn the_hash_changes_with_what_is_allowed() {
    let one = parse(&format!(r#"[{{"name":"f","input_schema":{SCHEMA}}}]"#)).hash();
    let others = [
        format!(r#"[{{"name":"g","input_schema":{SCHEMA}}}]"#),
        format!(r#"[{{"name":"f","input_schema":{}}}]"#, SCHEMA.replace("integer", "number")),
        format!(r#"[{{"name":"f","input_schema":{SCHEMA}}},{{"type":"mcp"}}]"#),
        format!(r#"[{{"name":"f","input_schema":{SCHEMA}}},{{"type":"web_search"}}]"#),
    ];
    assert!(others.iter().all(|other| parse(other).hash() != one));
}

#[test]
fn arguments_mean_what_the_wire_means_by_them() {
    let tools = parse(&format!(
        r#"[{{"name":"f","input_schema":{SCHEMA}}},{{"name":"none","input_schema":{{"type":"object","properties":{{}}}}}}]"#
    ));
    assert_eq!(status(&tools, "f", r#""{\"page\": 3.0}""#), CallStatus::Valid);
    for none in ["", "null", r#""""#, r#"" ""#, r#""null""#, "{}", r#""{}""#] {
        assert_eq!(status(&tools, "none", none), CallStatus::Valid, "{none}");
    }
    let told = |arguments: &str| match status(&tools, "f", arguments) {
        CallStatus::Invalid(faults) => faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "),
        other => panic!("{other:?}"),
    };
    assert_eq!(told("{}"), "$.page: expected a value, seen nothing");
    assert_eq!(told("[1]"), "$: expected an object, seen [1]");
    let unreadable = |arguments: &str| status(&tools, "f", arguments);
    assert_eq!(unreadable(r#""\"{\\\"page\\\": 3}\"""#), CallStatus::Unreadable(Change::DoubleEncoded));
    assert_eq!(unreadable(r#""{\"page\": 3, \"na""#), CallStatus::Unreadable(Change::CutOff));
    assert_eq!(unreadable(r#""page=3""#), CallStatus::Unreadable(Change::Broken));
}

#[test]
fn faults_say_where_and_what_in_few_words() {
    let schema = r#"{"type":"object","properties":{
        "n":{"type":"integer","minimum":1},"sort":{"enum":["asc","desc"]},"tags":{"type":"array","items":{"type":"string"},"maxItems":2},
        "maybe":{"anyOf":[{"type":"integer"},{"type":"null"}]},
        "where":{"anyOf":[{"type":"string"},{"type":"object","properties":{"lat":{"type":"number"}},"required":["lat"]}]},
        "either":{"oneOf":[{"type":"string","minLength":3},{"type":"string","pattern":"^x"}]},
        "a/b~c":{"type":"boolean"}},"required":["n"],"additionalProperties":false}"#;
    for (arguments, says) in [
        (r#"{"n":"2"}"#, r#"$.n: expected an integer, seen "2""#),
        (r#"{"n":0.5}"#, "$.n: expected an integer, seen 0.5"),
        (r#"{"n":0}"#, "$.n: expected at least 1, seen 0"),
        ("{}", "$.n: expected a value, seen nothing"),
        (r#"{"n":1,"page":[2]}"#, "$.page: expected no such key, seen [2]"),
        (r#"{"n":1,"sort":"up"}"#, r#"$.sort: expected "asc" or "desc", seen "up""#),
        (r#"{"n":1,"tags":["a",{}]}"#, "$.tags[1]: expected a text, seen {}"),
        (r#"{"n":1,"tags":["a","b","c"]}"#, r#"$.tags: expected at most 2 items, seen ["a","b","c"]"#),
        (r#"{"n":1,"maybe":"x"}"#, r#"$.maybe: expected an integer or null, seen "x""#),
        (r#"{"n":1,"where":{"lat":"5"}}"#, r#"$.where.lat: expected a number, seen "5""#),
        (r#"{"n":1,"where":{}}"#, "$.where.lat: expected a value, seen nothing"),
        (r#"{"n":1,"either":"y"}"#, r#"$.either: expected one of 2 allowed forms, seen "y""#),
        (r#"{"n":1,"a/b~c":1}"#, r#"$["a/b~c"]: expected a boolean, seen 1"#),
        (
            &format!(r#"{{"n":"{}"}}"#, "é".repeat(900)),
            &format!(r#"$.n: expected an integer, seen "{}…"#, "é".repeat(59)),
        ),
    ] {
        assert_eq!(faults(schema, arguments), [says], "{arguments}");
    }
    let many: Vec<String> = (0..1000).map(|n| format!("\"k{n}\":0")).collect();
    assert_eq!(faults(schema, &format!("{{\"n\":1,{}}}", many.join(","))).len(), 20);
}

#[test]
fn long_integers_are_judged_by_their_digits() {
    let integer = r#"{"properties":{"id":{"type":"integer"}}}"#;
    for id in ["9007199254740993", "12345678901234567890123", "1e30", "5.0", "-9007199254740993"] {
        assert_eq!(faults(integer, &format!("{{\"id\":{id}}}")), [""; 0], "{id}");
    }
    assert_eq!(faults(integer, r#"{"id":12345678901234567890123.5}"#).len(), 1);
    assert_eq!(faults(r#"{"properties":{"id":{"maximum":9007199254740992}}}"#, r#"{"id":9007199254740993}"#).len(), 1);
    let unique = r#"{"properties":{"ids":{"uniqueItems":true}}}"#;
    assert_eq!(faults(unique, r#"{"ids":[12345678901234567890123,12345678901234567890124]}"#), [""; 0]);
    assert_eq!(faults(unique, r#"{"ids":[1,1.0]}"#).len(), 1);
}

#[test]
fn a_schema_of_an_older_draft_is_understood() {
    let tuple = r#"{"properties":{"at":{"type":"array","items":[{"type":"number"},{"type":"number"}],"additionalItems":false}}}"#;
    assert_eq!(faults(tuple, r#"{"at":[1,2]}"#), [""; 0]);
    assert_eq!(faults(tuple, r#"{"at":[1,"2"]}"#).len(), 1);
    let exclusive = r#"{"properties":{"n":{"minimum":0,"exclusiveMinimum":true}}}"#;
    assert_eq!(faults(exclusive, r#"{"n":0}"#).len(), 1);
    let draft7 = r##"{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"n":{"$ref":"#/definitions/N"}},"definitions":{"N":{"type":"integer"}}}"##;
    assert_eq!(faults(draft7, r#"{"n":0.5}"#).len(), 1);
}

#[test]
fn deep_arguments_and_texts_that_are_no_unicode_are_judged_too() {
    let list =
        r##"{"properties":{"tree":{"$ref":"#/$defs/T"}},"$defs":{"T":{"type":"array","items":{"$ref":"#/$defs/T"}}}}"##;
    let deep = format!("{{\"tree\":{}1{}}}", "[".repeat(500), "]".repeat(500));
    let told = faults(list, &deep);
    assert_eq!(told.len(), 1);
    assert!(told[0].ends_with("expected a list, seen 1"), "{told:?}");
    assert_eq!(faults(r#"{"properties":{"t":{"enum":["a"]}}}"#, r#"{"t":"\ud800"}"#).len(), 1);
    assert_eq!(faults(r#"{"properties":{"t":{"type":"string"}}}"#, r#"{"t":"\ud800","n":1e400}"#), [""; 0]);
}
