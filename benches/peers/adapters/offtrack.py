"""offtrack: its task comparison in deterministic mode, where any step that is not alike is a divergence.

It judges rates over repeated runs, so both sides are given as often as it repeats a task by default.
"""

from offtrack.compare import compare_task
from offtrack.model import Step, StepStatus, StepType, Trajectory, TrajStatus
from offtrack.suite import GlobalConfig, ResolvedTask, RunSpec, Task

#: ERROR is its word for runs that cannot be judged; it is no failure.
VERDICTS = {"PASS": "pass", "FAIL": "fail", "INCONCLUSIVE": "inconclusive", "ERROR": "inconclusive"}

REPEATS = GlobalConfig().repetitions


def trajectory(side, kind, attempt):
    tokens = side.tokens(input="tokens_in", output="tokens_out")
    steps = []
    for number in range(side.model_calls):
        spent = tokens if number == 0 else {}
        steps.append(Step(idx=0, type=StepType.LLM_CALL, name="model", **spent))
    for call in side.calls:
        status = StepStatus.ERROR if call.error else StepStatus.OK
        called = Step(idx=0, type=StepType.TOOL_CALL, name=call.name, args=call.arguments(), status=status)
        called.result = call.result
        steps.append(called)
    if side.output is not None:
        steps.append(Step(idx=0, type=StepType.FINAL_ANSWER, name="final", result=side.output))
    made = Trajectory(
        task_key="probes/case",
        kind=kind,
        attempt=attempt,
        steps=steps,
        status=TrajStatus.TIMEOUT if side.failure else TrajStatus.COMPLETE,
    ).finalize()
    made.wall_ms = side.latency
    return made


def judge(pair):
    mask = {"builtin": [], "rules": [{"path": f"$.args.{path}"} for path in pair.ignored_arguments]}
    answer = "lexical" if pair.compare_output else "presence"
    limit = {"threshold": 0.25, "action": "fail"}
    config = GlobalConfig.model_validate(
        {
            "align": {"divergence_threshold": 1.0, "final_answer": answer, "final_answer_threshold": 1.0},
            "verdict": {"deterministic": True},
            "metrics": {"tokens": limit, "latency": limit},
        }
    )
    task = ResolvedTask(
        task_key="probes/case",
        suite="probes",
        task=Task(id="case", run=RunSpec(command=["true"])),
        repetitions=REPEATS,
        timeout_s=60,
        mask_config=mask,
    )
    baselines = [trajectory(pair.recorded, "baseline", attempt) for attempt in range(REPEATS)]
    candidates = [trajectory(pair.observed, "candidate", attempt) for attempt in range(REPEATS)]
    verdict = compare_task(task, config, baselines, candidates)["verdict"]
    return VERDICTS[verdict]
