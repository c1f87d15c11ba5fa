//! Token counts as providers write them, turned into one convention: what was read out of a cache or put into one is a
//! part of the input, and reasoning is a part of the output.
//!
//! The rules of each provider are in docs/importers.md, with their sources.

use super::super::interaction::Tokens;
use super::super::json::Json;
use super::fields::{as_count, count, first_member, member};

/// Tokens, and what makes them doubtful.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Usage {
    /// By our convention.
    pub(super) tokens: Tokens,
    /// Why the counts cannot all be right, as `the total is 109, its parts add up to 47`.
    pub(super) doubt: Option<String>,
}

/// Which counts lie within which, as a provider has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Convention {
    /// Cached tokens are a part of the input and reasoning is a part of the output: OpenAI and those like it, OpenTelemetry,
    /// OpenInference, LangChain.
    Within,
    /// Cached tokens stand beside the input: Anthropic, Bedrock, Inspect, Claude Code, Langfuse.
    CacheBeside,
    /// Cached tokens are within, but reasoning and what tools' prompts took stand beside: Gemini.
    ReasoningBeside,
}

/// The counts as they were written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Written {
    pub(super) input: Option<u64>,
    pub(super) output: Option<u64>,
    pub(super) cache_read: Option<u64>,
    pub(super) cache_write: Option<u64>,
    pub(super) reasoning: Option<u64>,
    /// What a provider counts beside the input, such as the results of its own tools.
    pub(super) more_input: Option<u64>,
    pub(super) total: Option<u64>,
}

impl Written {
    /// The same by our convention.
    pub(super) fn read(self, convention: Convention) -> Usage {
        let plus = |count: Option<u64>, more: &[Option<u64>]| {
            more.iter().try_fold(count?, |sum, more| sum.checked_add(more.unwrap_or(0)))
        };
        let input = match convention {
            Convention::CacheBeside => plus(self.input, &[self.cache_read, self.cache_write, self.more_input]),
            Convention::Within | Convention::ReasoningBeside => plus(self.input, &[self.more_input]),
        };
        let output = match convention {
            Convention::ReasoningBeside => plus(self.output, &[self.reasoning]),
            Convention::Within | Convention::CacheBeside => self.output,
        };
        let (cache_read, cache_write, reasoning) = (self.cache_read, self.cache_write, self.reasoning);
        let total = if input.is_some() && output.is_some() { None } else { self.total };
        let tokens = Tokens { total, input, output, cache_read, cache_write, reasoning };
        Usage { tokens, doubt: doubt(tokens, self.total) }
    }
}

/// Why the counts cannot all be right.
fn doubt(tokens: Tokens, total: Option<u64>) -> Option<String> {
    let cached = tokens.cache_read.unwrap_or(0).saturating_add(tokens.cache_write.unwrap_or(0));
    if let Some(input) = tokens.input.filter(|input| cached > *input) {
        return Some(format!("{cached} tokens of the input were cached, but it has {input}"));
    }
    if let (Some(output), Some(reasoning)) = (tokens.output, tokens.reasoning)
        && reasoning > output
    {
        return Some(format!("{reasoning} tokens of the output were reasoning, but it has {output}"));
    }
    let sum = tokens.input?.saturating_add(tokens.output?);
    total.filter(|total| *total != sum).map(|total| format!("the total is {total}, its parts add up to {sum}"))
}

/// A `usage` object of OpenAI's Chat Completions or Responses, or of a provider that writes the same.
pub(super) fn openai(usage: &Json) -> Usage {
    let details = |keys: &[&str], key: &str| first_member(usage, keys).and_then(|details| count(&details, key));
    let input_details = ["prompt_tokens_details", "input_tokens_details"];
    let output_details = ["completion_tokens_details", "output_tokens_details"];
    let first = |keys: &[&str]| first_member(usage, keys).and_then(|value| as_count(&value));
    let cache_read = details(&input_details, "cached_tokens");
    Written {
        input: first(&["prompt_tokens", "input_tokens"]),
        output: first(&["completion_tokens", "output_tokens"]),
        // DeepSeek and Mistral have names of their own.
        cache_read: cache_read.or_else(|| first(&["prompt_cache_hit_tokens", "num_cached_tokens"])),
        cache_write: details(&input_details, "cache_write_tokens"),
        reasoning: details(&output_details, "reasoning_tokens"),
        more_input: None,
        total: count(usage, "total_tokens"),
    }
    .read(Convention::Within)
}

/// A `usage` object of Anthropic's Messages.
pub(super) fn anthropic(usage: &Json) -> Usage {
    let details = member(usage, "output_tokens_details");
    Written {
        input: count(usage, "input_tokens"),
        output: count(usage, "output_tokens"),
        cache_read: count(usage, "cache_read_input_tokens"),
        cache_write: count(usage, "cache_creation_input_tokens"),
        reasoning: details.and_then(|details| count(&details, "thinking_tokens")),
        ..Written::default()
    }
    .read(Convention::CacheBeside)
}

/// A `usageMetadata` object of Gemini, in the spelling of the wire or of Python. Counts of 0 are left out there: a
/// prompt without an answer has an output of 0.
pub(super) fn gemini(usage: &Json) -> Usage {
    let first = |keys: &[&str]| first_member(usage, keys).and_then(|value| as_count(&value));
    let input = first(&["promptTokenCount", "prompt_token_count"]);
    let reasoning = first(&["thoughtsTokenCount", "thoughts_token_count"]);
    let total = first(&["totalTokenCount", "total_token_count"]);
    let output = first(&["candidatesTokenCount", "candidates_token_count"]);
    Written {
        input,
        output: output.or_else(|| input.and(total).map(|_| 0)),
        cache_read: first(&["cachedContentTokenCount", "cached_content_token_count"]),
        cache_write: None,
        reasoning,
        more_input: first(&["toolUsePromptTokenCount", "tool_use_prompt_token_count"]),
        total,
    }
    .read(Convention::ReasoningBeside)
}

/// A `usage` object of Bedrock's Converse.
pub(super) fn bedrock(usage: &Json) -> Usage {
    let first = |keys: &[&str]| first_member(usage, keys).and_then(|value| as_count(&value));
    Written {
        input: count(usage, "inputTokens"),
        output: count(usage, "outputTokens"),
        cache_read: first(&["cacheReadInputTokens", "cacheReadInputTokenCount"]),
        cache_write: first(&["cacheWriteInputTokens", "cacheWriteInputTokenCount"]),
        reasoning: None,
        more_input: None,
        total: count(usage, "totalTokens"),
    }
    .read(Convention::CacheBeside)
}

/// The `usageDetails` of Langfuse. What it takes from its own SDKs and from providers it cuts into parts that stand beside
/// each other, under names such as `input_cached_tokens`; what comes by OpenTelemetry it leaves as it was, under names
/// such as `prompt_details.cache_read`. Where the total speaks for the other reading, the total is right.
pub(super) fn langfuse(usage: &Json) -> Usage {
    let counts: Vec<(String, u64)> = usage
        .members()
        .unwrap_or_default()
        .iter()
        .filter_map(|(key, value)| Some((key.to_string(), as_count(value)?)))
        .collect();
    let sum = |is_meant: &dyn Fn(&str) -> bool| {
        let meant = counts.iter().filter(|(key, _)| is_meant(key)).map(|(_, count)| *count);
        meant.reduce(u64::saturating_add)
    };
    let one = |key: &str| sum(&|name| name == key);
    let is_part = |key: &str| key.starts_with("input_") || key.starts_with("output_");
    let is_beside =
        |key: &str| is_part(key) || ["cache_read_input_tokens", "cache_creation_input_tokens"].contains(&key);
    let is_write = |key: &str| key.contains("cache_creation") || key.contains("cache_write");
    let is_read = |key: &str| key.contains("cache") && !is_write(key);
    let is_reasoning = |key: &str| key.contains("reasoning");
    let written = Written {
        input: one("input"),
        output: one("output"),
        cache_read: sum(&is_read),
        cache_write: sum(&is_write),
        reasoning: sum(&is_reasoning),
        more_input: None,
        total: one("total"),
    };
    let within = written.read(Convention::Within);
    // Parts of other kinds, as sound, count as well.
    let is_output = |key: &str| key.starts_with("output_");
    let more_input = sum(&|key| is_beside(key) && !is_output(key) && !is_read(key) && !is_write(key));
    let output = written.output.map(|output| output.saturating_add(sum(&is_output).unwrap_or(0)));
    let beside = Written { output, more_input, ..written }.read(Convention::CacheBeside);
    let mut readings = [within, beside];
    if counts.iter().any(|(key, _)| is_beside(key)) {
        readings.reverse();
    }
    let [first, second] = readings;
    if first.doubt.is_some() && second.doubt.is_none() { second } else { first }
}

/// The `mlflow.chat.tokenUsage` of MLflow. It is what the provider told, so the total says whether cached tokens are within
/// the input or beside it; without one that fits they are within.
pub(super) fn mlflow(usage: &Json) -> Usage {
    let written = Written {
        input: count(usage, "input_tokens"),
        output: count(usage, "output_tokens"),
        cache_read: count(usage, "cache_read_input_tokens"),
        cache_write: count(usage, "cache_creation_input_tokens"),
        total: count(usage, "total_tokens"),
        ..Written::default()
    };
    let [within, beside] = [Convention::Within, Convention::CacheBeside].map(|convention| written.read(convention));
    if within.doubt.is_some() && beside.doubt.is_none() { beside } else { within }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(provider: fn(&Json) -> Usage, usage: &str) -> Usage {
        provider(&Json::parse(usage).unwrap())
    }

    #[test]
    fn openai_counts_cache_and_reasoning_within() {
        let usage = r#"{"prompt_tokens":100,"completion_tokens":20,"total_tokens":120,
            "prompt_tokens_details":{"cached_tokens":60},"completion_tokens_details":{"reasoning_tokens":12}}"#;
        let tokens = Tokens {
            input: Some(100),
            output: Some(20),
            cache_read: Some(60),
            reasoning: Some(12),
            ..Tokens::default()
        };
        assert_eq!(read(openai, usage), Usage { tokens, doubt: None });
        let responses =
            r#"{"input_tokens":7,"output_tokens":2,"input_tokens_details":{"cached_tokens":0},"total_tokens":9}"#;
        assert_eq!(read(openai, responses).tokens.cache_read, Some(0));
    }

    #[test]
    fn anthropic_counts_the_cache_beside() {
        let usage =
            r#"{"input_tokens":2,"cache_read_input_tokens":28501,"cache_creation_input_tokens":40,"output_tokens":9}"#;
        let Usage { tokens, doubt } = read(anthropic, usage);
        assert_eq!(
            (tokens.input, tokens.cache_read, tokens.cache_write, doubt),
            (Some(28543), Some(28501), Some(40), None)
        );
    }

    #[test]
    fn gemini_counts_thoughts_beside() {
        let usage =
            r#"{"promptTokenCount":776,"candidatesTokenCount":51,"thoughtsTokenCount":246,"totalTokenCount":1073}"#;
        let Usage { tokens, doubt } = read(gemini, usage);
        assert_eq!((tokens.sum(), tokens.output, tokens.reasoning, doubt), (Some(1073), Some(297), Some(246), None));
        let blocked = read(gemini, r#"{"promptTokenCount":12,"totalTokenCount":12}"#);
        assert_eq!((blocked.tokens.output, blocked.doubt), (Some(0), None), "a count of 0 is left out");
    }

    #[test]
    fn bedrock_counts_the_cache_beside() {
        let usage = r#"{"inputTokens":433,"cacheReadInputTokens":2752,"outputTokens":16,"totalTokens":3201}"#;
        let Usage { tokens, doubt } = read(bedrock, usage);
        assert_eq!((tokens.sum(), doubt), (Some(3201), None));
    }

    #[test]
    fn counts_that_cannot_be_right_are_doubted_and_kept() {
        let hidden = read(openai, r#"{"prompt_tokens":12,"completion_tokens":35,"total_tokens":109}"#);
        assert_eq!(hidden.doubt.unwrap(), "the total is 109, its parts add up to 47");
        assert_eq!(hidden.tokens.sum(), Some(47));
        let cached = r#"{"prompt_tokens":1,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":5}}"#;
        assert!(read(openai, cached).doubt.unwrap().starts_with("5 tokens of the input were cached"));
        assert_eq!(read(openai, r#"{"prompt_tokens":-1}"#), Usage::default(), "a negative count is unknown");
        let only_total = read(openai, r#"{"total_tokens":9}"#);
        assert_eq!((only_total.tokens.total, only_total.tokens.sum()), (Some(9), Some(9)));
    }

    #[test]
    fn langfuse_counts_parts_beside_or_within_by_where_they_came_from() {
        let told = |usage: &str| {
            let Usage { tokens, doubt } = read(langfuse, usage);
            (tokens.input, tokens.output, tokens.cache_read, tokens.cache_write, tokens.reasoning, doubt)
        };
        let cut = r#"{"input":40,"input_cached_tokens":60,"output":8,"output_reasoning_tokens":12,"total":120}"#;
        assert_eq!(told(cut), (Some(100), Some(20), Some(60), None, Some(12), None));
        let otel = r#"{"input":190,"prompt_details.cache_read":100,"output":164,"completion_details.reasoning":4,"total":354}"#;
        assert_eq!(told(otel), (Some(190), Some(164), Some(100), None, Some(4), None));
        let anthropic = r#"{"input":2,"cache_read_input_tokens":28,"cache_creation_input_tokens":5,"output":9}"#;
        assert_eq!(told(anthropic), (Some(35), Some(9), Some(28), Some(5), None, None));
        let left_as_it_was = r#"{"input":100,"input_cached_tokens":60,"output":20,"total":120}"#;
        assert_eq!(told(left_as_it_was), (Some(100), Some(20), Some(60), None, None, None), "the total is right");
        assert_eq!(read(langfuse, "{}"), Usage::default());
    }

    #[test]
    fn mlflow_counts_the_cache_as_the_total_says() {
        let told = |usage: &str| {
            let Usage { tokens, doubt } = read(mlflow, usage);
            (tokens.input, tokens.cache_read, doubt)
        };
        let openai = r#"{"input_tokens":10,"output_tokens":5,"total_tokens":15,"cache_read_input_tokens":4}"#;
        assert_eq!(told(openai), (Some(10), Some(4), None));
        let anthropic = r#"{"input_tokens":10,"output_tokens":5,"total_tokens":115,"cache_read_input_tokens":100}"#;
        assert_eq!(told(anthropic), (Some(110), Some(100), None));
    }
}
