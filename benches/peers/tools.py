"""The tools that are asked: which version, in which mode, and what was wired here and not by the tool."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Tool:
    name: str
    version: str
    licence: str
    #: Its strictest documented mode, in its own words.
    mode: str
    #: What this project decided or built, so that a reader can judge the comparison.
    wired: str
    #: Whether it claims to check tokens or latency.
    spend: bool = False

    @property
    def adapter(self):
        """The file that asks it."""
        return self.name.replace("-", "_") + ".py"


TAKETWO = Tool(
    "taketwo",
    "this one",
    "MIT",
    "`taketwo diff A B --exit-code --tolerance 1.25`",
    "A probe's own rules as `--ignore` and `--compare-output`.",
    spend=True,
)

PEERS = (
    Tool(
        "agentevals",
        "0.0.9",
        "MIT",
        "trajectory match `strict`, arguments `exact`",
        "Calls of one step stand in one assistant message, with the arguments as the text that a model sends. An "
        "ignored argument is left out of the keys that it is told to compare.",
    ),
    Tool(
        "google-adk",
        "2.13.0",
        "Apache-2.0",
        "`TrajectoryEvaluator`, match type `EXACT`, threshold 1",
        "Called as a library. Arguments that are no JSON are passed as none, as its reader of OpenAI replies does. No "
        "option leaves one argument out.",
    ),
    Tool(
        "deepeval",
        "4.3.1",
        "Apache-2.0",
        "`ToolCorrectnessMetric`: exact match, input parameters, strict mode",
        "A model that is never asked, for the metric does not start without one. `ExactMatchMetric` where a probe "
        "compares replies. Arguments that are no JSON are passed as they are; its own reader raises there, too. No "
        "option leaves one argument out.",
    ),
    Tool(
        "brooder",
        "0.5.0",
        "Apache-2.0",
        "exact judge, new cases fail, `ci --budget`",
        "Called as the functions that its command calls. Budgets of +25 % tokens and latency; replies are given only "
        "where a probe compares them; model turns stand before the calls, so that only their number counts.",
        spend=True,
    ),
    Tool(
        "replex",
        "0.1.0",
        "MIT",
        "drift policy, all checks at severity `fail`",
        "Called as a library. +25 % tokens, no step more; replies exact only where a probe compares them; model steps "
        "stand before the calls. It never gates latency.",
        spend=True,
    ),
    Tool(
        "evalview",
        "0.8.1",
        "Apache-2.0",
        "`DiffEngine`, every status but PASSED fails, as `check --strict` has it",
        "Called as a library; what it checks of cost outside of that engine was not wired. Replies are given only "
        "where a probe compares them.",
    ),
    Tool(
        "offtrack",
        "0.4.0",
        "MIT",
        "deterministic verdict, divergence threshold 1, no built-in masks",
        "It judges repeated runs: both sides are given five times, its default. Tokens and latency fail above +25 % if "
        "its test finds that significant; its ERROR counts as inconclusive; "
        "replies `lexical` at threshold 1 where a probe compares them.",
        spend=True,
    ),
    Tool(
        "tracediff",
        "0.2.0",
        "Apache-2.0",
        "a suite that demands the recorded tools (`strict`), arguments and steps; `diff`",
        "The suite is made from the recording, with one set of arguments a tool, as it has it; both runs are read from "
        "OpenAI messages. It gates dollars: every "
        "token costs the same.",
        spend=True,
    ),
)


def chosen(names):
    """The tools of these names, all if there are none; raises LookupError with a name that is none of them."""
    tools = (TAKETWO, *PEERS)
    known = [tool.name for tool in tools]
    for name in names:
        if name not in known:
            raise LookupError(f"no tool is named {name}; there are: {', '.join(known)}")
    return [tool for tool in tools if not names or tool.name in names]
