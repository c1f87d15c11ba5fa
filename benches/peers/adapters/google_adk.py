"""google-adk: its TrajectoryEvaluator, match type EXACT."""

from google.adk.evaluation.eval_case import IntermediateData, Invocation
from google.adk.evaluation.eval_metrics import EvalMetric, ToolTrajectoryCriterion
from google.adk.evaluation.evaluator import EvalStatus
from google.adk.evaluation.trajectory_evaluator import TrajectoryEvaluator
from google.genai import types

VERDICTS = {EvalStatus.PASSED: "pass", EvalStatus.FAILED: "fail", EvalStatus.NOT_EVALUATED: "inconclusive"}

CRITERION = ToolTrajectoryCriterion(threshold=1.0, match_type=ToolTrajectoryCriterion.MatchType.EXACT)
EVALUATOR = TrajectoryEvaluator(
    eval_metric=EvalMetric(metric_name="tool_trajectory_avg_score", threshold=1.0, criterion=CRITERION)
)


def content(text):
    return types.Content(role="user", parts=[types.Part(text=text or "")])


def unreadable(_):
    """Its reader of OpenAI replies warns and goes on without arguments."""
    return {}


def invocation(side):
    calls = [types.FunctionCall(name=call.name, args=call.arguments(unreadable)) for call in side.calls]
    return Invocation(
        user_content=content(side.row.get("input")),
        final_response=content(side.output),
        intermediate_data=IntermediateData(tool_uses=calls),
    )


def judge(pair):
    result = EVALUATOR.evaluate_invocations([invocation(pair.observed)], [invocation(pair.recorded)])
    return VERDICTS[result.overall_eval_status]
