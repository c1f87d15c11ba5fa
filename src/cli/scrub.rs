//! `taketwo scrub`: recordings without secrets and personal data.

use std::path::PathBuf;

use super::Exit;
use super::input::{Budget, InputArgs};
use super::screen::{note, print};
use crate::recording::{Converted, Existing, Json};
use crate::scrub::{Findings, KEY_VARIABLE, KeyOrigin, ScrubKey, ScrubRules, Scrubber, find, scrub};

/// Replace secrets and personal data in recordings by pseudonyms, so that a replay still matches.
///
/// Keys, tokens, passwords, cards, accounts, addresses of e-mail, telephones, and what stands in fields such as password
/// or first_name. Equal values get equal pseudonyms as long as the key is the same: TAKETWO_SCRUB_KEY in the environment
/// or --key-file. Without one a random key is made. Names in free text are not looked for.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  taketwo scrub traffic.jsonl -o scrubbed.jsonl --key-file scrub.key
  taketwo scrub traffic/ -o all.parquet --rules scrub.toml
  taketwo scrub recordings/ --check

Exit codes: 0 scrubbed, or with --check nothing was found; 1 with --check
something was found; 2 refused, nothing was written.")]
pub struct Args {
    #[command(flatten)]
    input: InputArgs,

    /// The file to write (.jsonl, .ndjson, .jsonl.gz, .jsonl.zst, .parquet), or - for JSONL on standard output
    #[arg(short, long, value_name = "OUT", required_unless_present = "check", conflicts_with = "check")]
    out: Option<PathBuf>,

    /// Replace OUT if it is there
    #[arg(long)]
    force: bool,

    /// Say what is found and write nothing; end with 1 if anything is
    #[arg(long)]
    check: bool,

    /// Rules: kinds that are off, fields, values to keep, patterns (docs/scrub.md)
    #[arg(long, value_name = "FILE")]
    rules: Option<PathBuf>,

    /// The file that holds the key [default: TAKETWO_SCRUB_KEY in the environment]
    #[arg(long, value_name = "FILE")]
    key_file: Option<PathBuf>,

    /// Print the report as JSON, as docs/scrub.md describes it
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args) -> miette::Result<Exit> {
    let rules = args.rules.as_deref().map(ScrubRules::read).transpose()?.unwrap_or_default();
    let key = if args.check { ScrubKey::random()? } else { ScrubKey::find(args.key_file.as_deref())? };
    let scrubber = Scrubber::new(&rules, key)?;
    match &args.out {
        Some(out) => write(args, &scrubber, out),
        None => check(args, &scrubber),
    }
}

fn check(args: &Args, scrubber: &Scrubber) -> miette::Result<Exit> {
    let (recordings, mut quarantine) = args.input.open()?;
    let findings = find(&recordings, &mut quarantine, scrubber)?;
    let budget = args.input.rejects.report(&mut quarantine, findings.interactions)?;
    print(&shown(args, &findings))?;
    warn_of_rejects(args, &findings);
    Ok(match findings.found {
        // A finding outranks rows that cannot be read.
        1.. => Exit::Finding,
        0 if budget == Budget::Exceeded => Exit::Refused,
        0 if findings.interactions == 0 => {
            note("error: there is no interaction in the recordings");
            Exit::Refused
        }
        0 => Exit::Passed,
    })
}

fn write(args: &Args, scrubber: &Scrubber, out: &std::path::Path) -> miette::Result<Exit> {
    let (recordings, mut quarantine) = args.input.open()?;
    let existing = if args.force { Existing::Replace } else { Existing::Refuse };
    let (converted, findings) =
        scrub(&recordings, out, existing, &mut quarantine, args.input.rejects.max_rejects, scrubber)?;
    if matches!(converted, Converted::Written(_)) {
        // Where the recording goes to standard output, the report must not stand in it.
        if out.as_os_str() == "-" { note(&shown(args, &findings)) } else { print(&shown(args, &findings)).map(drop)? }
    }
    let exit = args.input.rejects.report_written(&converted, &mut quarantine)?;
    warn_of_rejects(args, &findings);
    if exit == Exit::Passed && scrubber.key_origin() == KeyOrigin::Random && findings.found > 0 {
        note(&format!(
            "warning: a random key was made, so these pseudonyms match no others;\n  give a key with --key-file or {KEY_VARIABLE}"
        ));
    }
    Ok(exit)
}

fn shown(args: &Args, findings: &Findings) -> String {
    if args.json { format!("{}\n", Json::of(findings).text()) } else { findings.to_string() }
}

/// What cannot be read cannot be scrubbed for sure.
fn warn_of_rejects(args: &Args, findings: &Findings) {
    let rows = findings.rejected + findings.torn;
    if rows == 0 {
        return;
    }
    let (rows, were) = if rows == 1 { ("1 row".to_owned(), "was") } else { (format!("{rows} rows"), "were") };
    let kept =
        args.input.rejects.quarantine.as_ref().map(|path| format!(".\n  {} may hold such secrets", path.display()));
    note(&format!(
        "warning: {rows} could not be read and {were} looked through as text alone, which\n  misses secrets that only the name of their field tells{}",
        kept.unwrap_or_default()
    ));
}
