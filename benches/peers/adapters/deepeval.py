"""deepeval: its ToolCorrectnessMetric, exact match with arguments; replies by its ExactMatchMetric where asked."""

from deepeval.metrics import ExactMatchMetric, ToolCorrectnessMetric
from deepeval.models import DeepEvalBaseLLM
from deepeval.test_case import LLMTestCase, ToolCall, ToolCallParams


class NoModel(DeepEvalBaseLLM):
    """Stands where the metric wants a model, which this comparison never asks."""

    def load_model(self):
        return self

    def generate(self, *_, **__):
        raise RuntimeError("no model is to be asked")

    async def a_generate(self, *_, **__):
        raise RuntimeError("no model is to be asked")

    def get_model_name(self):
        return "none"


def tools(side):
    # Its own reader of OpenAI replies raises where arguments are no JSON; so does this.
    return [ToolCall(name=call.name, input_parameters=call.arguments()) for call in side.calls]


def judge(pair):
    case = LLMTestCase(
        input=pair.recorded.row.get("input") or "",
        actual_output=pair.observed.output or "",
        expected_output=pair.recorded.output or "",
        tools_called=tools(pair.observed),
        expected_tools=tools(pair.recorded),
    )
    metrics = [
        ToolCorrectnessMetric(
            model=NoModel(),
            threshold=1,
            strict_mode=True,
            should_exact_match=True,
            evaluation_params=[ToolCallParams.INPUT_PARAMETERS],
            async_mode=False,
        )
    ]
    if pair.compare_output:
        metrics.append(ExactMatchMetric(threshold=1))
    for metric in metrics:
        metric.measure(case, _show_indicator=False)
    return "pass" if all(metric.is_successful() for metric in metrics) else "fail"
