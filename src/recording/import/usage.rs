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
}
