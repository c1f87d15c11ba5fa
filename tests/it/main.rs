//! What taketwo promises its users, one module a promise. Nearly everything here drives the real program.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on has failed")]

mod command_target;
mod convert_is_lossless;
mod corpus;
mod damaged_files;
mod documented_commands;
mod documented_rules;
mod explanations;
mod files_are_safe;
mod hostile_targets;
mod http_target;
mod import_captures;
mod import_otlp;
mod import_platforms;
mod import_sessions;
mod import_tau2;
mod import_vcr;
mod inspect;
mod learn;
mod many_calls;
mod mutations;
mod pairs;
mod pipes;
mod probes;
mod program;
mod real_traffic;
mod record;
mod recordings_are_real;
mod replaying;
mod reports;
mod resume;
mod run_diff;
mod sample_runs;
mod sampling;
mod scrub;
mod second_recording;
mod self_comparison;
mod stored_runs;
mod tool_definitions_are_real;
mod tool_schemas;
mod variants;
