//! A live session that is recorded: from settings to a recording.

use std::path::PathBuf;
use std::sync::Arc;

use super::preflight::Refusal;
use super::settings::{Settings, SettingsError};
use super::target_spec::TargetSpec;
use super::targets::{Target, tool_program};
use crate::recording::{CaseId, Existing, RecordingWriter, Written};
use crate::replay::record::{EffectRule, Inputs, RecordPlan, Recorder, Take, Times};
use crate::replay::{Failure, Stop, Stray, SystemUnderTest};
use crate::verdict::Exit;

/// What a session is recorded with, besides the settings that it shares with runs.
#[derive(Clone, Debug)]
pub struct SessionPlan {
    /// The tools: `command:PROGRAM ARGS...`.
    pub tools: String,
    /// Where the recording goes; `-` for standard output.
    pub out: PathBuf,
    /// What happens to a file that is there.
    pub existing: Existing,
    /// What is known of the tools.
    pub effects: Vec<EffectRule>,
    /// Whether the recording tells times.
    pub times: Times,
}

/// What a session came to.
#[derive(Debug)]
pub struct Session {
    /// The recording; `None` where nothing could be recorded.
    pub written: Option<Written>,
    /// How many inputs there were.
    pub inputs: u64,
    /// Inputs whose interactions were not recorded, and why.
    pub left_out: Vec<(CaseId, Failure)>,
    /// What was seen beside the interactions, a sentence each.
    pub notes: Vec<String>,
    /// What the program ends with.
    pub exit: Exit,
}

/// Records a live session. `each` is told of every take, and `begin` of the number of inputs before the first.
///
/// # Errors
/// When the session is refused, or the recording cannot be written.
pub async fn record(
    settings: &Settings,
    plan: &SessionPlan,
    begin: impl FnOnce(u64),
    mut each: impl FnMut(&Take),
    stop: Stop,
) -> miette::Result<Session> {
    let inputs = Inputs::open(&settings.recordings)?;
    if inputs.contains(&plan.out) {
        return Err(miette::miette!(
            code = "taketwo::output_is_input",
            help = "write the recording to another file",
            "{:?} is one of the inputs",
            plan.out
        ));
    }
    let target = asked(settings)?;
    let tools = Arc::new(tool_program(&plan.tools)?);
    let mut writer = RecordingWriter::new(&plan.out, plan.existing)?;
    let recorder = Recorder::new(
        Arc::clone(&target),
        Arc::clone(&tools) as _,
        RecordPlan {
            lanes: settings.lanes,
            deadline: settings.deadline,
            effects: plan.effects.clone(),
            times: plan.times,
        },
    );
    let (ready, tools_ready) = (recorder.preflight(&inputs).await?, tools.check().await);
    let count = match (ready, tools_ready) {
        (Ok(count), Ok(_)) => count,
        (ready, tools_ready) => {
            target.shut_down().await;
            tools.shut_down().await;
            let mut reasons = ready.err().unwrap_or_default();
            reasons.extend(tools_ready.err());
            return Err(Refusal::new(&reasons).into());
        }
    };
    begin(count);
    let mut session =
        Session { written: None, inputs: count, left_out: Vec::new(), notes: Vec::new(), exit: Exit::Passed };
    let recorded = recorder
        .record(&inputs, stop.clone(), |take| session.take(scrubbed(take, settings), &mut writer, &mut each))
        .await;
    let strays = target.shut_down().await;
    tools.shut_down().await;
    recorded?;
    session.notes.extend(strays.into_iter().map(|Stray { attempt, what }| format!("{attempt}: the target {what}")));
    session.end(writer, &stop)
}

/// The target of the settings, if it can be asked anything: a recording cannot.
fn asked(settings: &Settings) -> miette::Result<Arc<dyn SystemUnderTest>> {
    if let Some(spec @ TargetSpec::Recorded(_)) = &settings.target {
        let help = "name an agent: command:PROGRAM ARGS..., http://HOST/PATH or sample:VERSION".to_owned();
        let problem = format!("{spec} is a recording, which cannot be asked anything new");
        return Err(SettingsError::with_help("target", problem, Some(help)).into());
    }
    Ok(Target::open(settings)?.system)
}

/// A take as it is recorded.
fn scrubbed(take: Take, settings: &Settings) -> Take {
    match (take, settings.bindings.scrubber.as_deref()) {
        (Take::Kept { interaction, notes }, Some(scrubber)) => {
            Take::Kept { interaction: Box::new(scrubber.interaction(*interaction)), notes }
        }
        (take, _) => take,
    }
}

impl Session {
    fn take(&mut self, take: Take, writer: &mut RecordingWriter, each: &mut impl FnMut(&Take)) -> miette::Result<()> {
        each(&take);
        match take {
            Take::Kept { interaction, notes } => {
                let id = interaction.id.as_ref().map_or("", CaseId::as_str);
                self.notes.extend(notes.iter().map(|note| format!("{id}: {note}")));
                writer.write(&interaction)?;
            }
            Take::LeftOut { id, failure } => self.left_out.push((id, failure)),
        }
        Ok(())
    }

    /// A recording of nothing is not written: a run of it would look as if something had been tested.
    fn end(mut self, writer: RecordingWriter, stop: &Stop) -> miette::Result<Self> {
        if writer.interactions() > 0 {
            self.written = Some(writer.finish()?);
        }
        self.exit = match (&self.written, self.left_out.is_empty()) {
            _ if stop.is_stopped() => Exit::Cancelled,
            (Some(_), true) => Exit::Passed,
            _ => Exit::NotProven,
        };
        Ok(self)
    }
}
