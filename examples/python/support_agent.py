#!/usr/bin/env python3
"""A small support agent that speaks the taketwo protocol (docs/protocol.md).

It needs Python 3.8 or later and nothing else. It picks its tools from the user's words by plain
rules. To make it your own, keep the part "The wire" and replace the part "The agent".
"""

import json
import re
import string
import sys

NAME, VERSION, PROTOCOL = "support-agent", "1.0", 1


# ---- The wire: read and write one JSON object a line -----------------------------------------

class Cancelled(Exception):
    """taketwo asked for an end of the attempt in hand."""


def compact(value):
    return json.dumps(value, separators=(",", ":"))


def send(message):
    sys.stdout.buffer.write(compact(message).encode("utf-8") + b"\n")
    sys.stdout.buffer.flush()


def note(text):
    """Standard error is free text. taketwo keeps it for its report."""
    print(text, file=sys.stderr, flush=True)


def receive():
    """The next message. At the end of standard input the program ends."""
    while True:
        line = sys.stdin.buffer.readline()
        if not line:
            sys.exit(0)
        if not line.strip():
            continue
        try:
            message = json.loads(line.decode("utf-8"))
        except (ValueError, RecursionError) as error:
            note("skipped a line that is no JSON: %s" % error)
            continue
        if isinstance(message, dict):
            return message
        note("skipped a line that is no JSON object")


class Turn:
    """One turn: it sends tool calls, waits for their answers and counts what a reply reports."""

    def __init__(self, attempt, read):
        self.attempt = attempt
        self.steps = 0
        self.calls = 0
        self.seen = words(compact(read))
        self.tokens = {"input": 0, "output": 0}

    def ask(self, calls):
        """Send all `calls` at once, as one step. Give the answers in the order of the calls.

        A call is a pair (name, arguments). An answer is a pair (result, error); one is None.
        """
        self._decide()
        waiting, answers = {}, [None] * len(calls)
        for place, (name, arguments) in enumerate(calls):
            self.calls += 1
            call = "c%d" % self.calls
            waiting[call] = place
            self.tokens["output"] += 1 + words(compact(arguments))
            send({"type": "tool_call", "attempt": self.attempt, "call": call, "name": name,
                  "arguments": arguments, "step": self.steps})
        while waiting:
            message = receive()
            kind = message.get("type")
            if message.get("attempt") != self.attempt:
                note("skipped a message of another attempt: %s" % kind)
            elif kind == "cancel":
                raise Cancelled()
            elif kind in ("tool_result", "tool_error") and message.get("call") in waiting:
                place = waiting.pop(message["call"])
                if kind == "tool_result":
                    answers[place] = (message.get("result"), None)
                    self.seen += words(compact(message.get("result")))
                else:
                    error = message.get("error")
                    answers[place] = (None, error if isinstance(error, dict) else {})
                    self.seen += words(compact(error))
        return answers

    def reply(self, text):
        self._decide()
        self.tokens["output"] += words(compact(text))
        send({"type": "reply", "attempt": self.attempt, "output": text,
              "modelCalls": self.steps, "tokens": self.tokens})

    def _decide(self):
        self.steps += 1
        self.tokens["input"] += self.seen


def words(json_text):
    """A STAND-IN for tokens. No model is called here, so there is no true count to report.

    It counts the pieces between spaces in the compact JSON text. A decision step "reads" the user's
    text and all tool answers so far, and "writes" its tool calls or the reply. Report what your
    model's service reports, or leave `tokens` out: it then stays unknown.
    """
    return sum(1 for piece in json_text.split(" ") if piece)


# ---- The agent: rules in place of a model ----------------------------------------------------

LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)
SUM = re.compile(r"[0-9)] *[*+] *[0-9(]|[0-9)] +[-/] +[0-9(]")
TOPICS = [
    ("returns", {"return", "returns", "refund", "refunds", "money"}),
    ("warranty", {"warranty", "guarantee", "broken"}),
    ("shipping", {"ship", "shipping", "deliver", "delivery"}),
    ("payment", {"pay", "payment", "invoice", "card"}),
]


class Wishes:
    """What the user's words ask for."""

    def __init__(self, text):
        text = text.translate(LOWER)
        self.email = find_email(text)
        text = re.sub(r"[a-z0-9._+@-]+", lambda m: "~" if "@" in m.group() else m.group(), text)
        spoken = re.findall(r"[a-z0-9]+", text)
        self.words = set(spoken)

        # The runs of digits, signs and spaces. A run that is a sum holds no order number.
        runs = [run.lstrip(" .)+*/-").rstrip(" .(+*/-")
                for run in re.findall(r"[0-9.()+*/ -]+", text)]
        sums = [run for run in runs if SUM.search(run)]
        self.orders = []
        for run in runs:
            for number in re.findall(r"[0-9]+", run):
                wanted = 4 <= len(number) <= 12 and number not in self.orders
                if wanted and len(self.orders) < 4 and not SUM.search(run):
                    self.orders.append(number)

        self.expression = None
        if sums:
            self.expression = sums[0]
        elif "how much is " in text and not self.orders:
            rest = text.split("how much is ", 1)[1]
            rest = re.match(r"[a-z0-9 .,+*/()%-]*", rest).group().strip(" .,")
            if re.search(r"[0-9]", rest):
                self.expression = rest

        self.refund = self.any("refund", "refunds", "refunded") or \
            " money back " in " %s " % " ".join(spoken)
        self.track = self.any("where", "track", "tracking", "parcel", "package")
        known = self.orders or self.email or self.expression
        self.article = None
        if self.any("policy", "policies", "warranty", "guarantee") or \
                (self.any("how") and not known):
            self.article = next((t for t, keys in TOPICS if keys & self.words), "contact")

    def any(self, *wanted):
        return not self.words.isdisjoint(wanted)


def find_email(text):
    for piece in re.findall(r"[a-z0-9._+@-]+", text):
        name, _, domain = piece.strip("._+-").partition("@")
        if name and "@" not in domain and "." in domain[1:]:
            return "%s@%s" % (name, domain)
    return None


def understand(text, history, setup):
    wishes = Wishes(text)
    if wishes.orders or wishes.email:
        return wishes
    if (wishes.refund or wishes.track) and not wishes.article:
        # "Refund it, please": the order number that the conversation named last.
        for entry in reversed(history):
            content = entry.get("content") if isinstance(entry, dict) else None
            named = Wishes(content).orders if isinstance(content, str) else []
            if named:
                wishes.orders = named[-1:]
                return wishes
    if wishes.any("order", "orders"):
        wishes.email = signed_in(setup)
    return wishes


def signed_in(setup):
    """The e-mail address that the fixture "email" names. One setup may wrap another."""
    while isinstance(setup.get("then"), dict):
        setup = setup["then"]
    email = setup.get("params")
    return email if setup.get("fixture") == "email" and isinstance(email, str) else None


def work(turn, wishes):
    """Call the tools and give the reply's text."""
    first = [("get_order", {"order_id": number}) for number in wishes.orders]
    if wishes.email and not wishes.orders:
        first.append(("search_orders", {"email": wishes.email}))
    if wishes.article:
        first.append(("read_article", {"topic": wishes.article}))
    if wishes.expression:
        first.append(("calculate", {"expression": wishes.expression}))
    if not first:
        return "Please tell me your order number or your e-mail address."

    said, later = [], []
    for (name, arguments), (result, error) in zip(first, turn.ask(first)):
        if name == "get_order":
            said.append(order_line(arguments["order_id"], result, error))
            if len(wishes.orders) == 1 and error is None:
                said += follow_up(turn, wishes, arguments["order_id"], result)
        elif name == "search_orders":
            later.append(orders_line(arguments["email"], result, error))
        elif name == "read_article":
            later.append(article_line(arguments["topic"], result, error))
        else:
            later.append(value_line(arguments["expression"], result, error))
    if len(wishes.orders) > 1 and (wishes.refund or wishes.track):
        said.append("Please tell me which one to go on with.")
    return " ".join(said + later)


def follow_up(turn, wishes, number, order):
    """The second step of a request about one order: its refund, its parcel, or both at once."""
    calls, refund_said, track_said = [], None, None
    status, total, tracking = (field(order, key) for key in ("status", "total", "tracking"))
    if wishes.refund:
        if status not in ("delivered", "returned"):
            refund_said = "I cannot refund it: its status is %s." % (status or "unknown")
        elif not total:
            refund_said = "I cannot refund it: its total is unknown."
        else:
            calls.append(("refund", {"order_id": number, "amount": total}))
    if wishes.track:
        if tracking:
            calls.append(("track_parcel", {"tracking": tracking}))
        else:
            track_said = "It has no parcel yet."
    if calls:
        for (name, arguments), (result, error) in zip(calls, turn.ask(calls)):
            if name == "refund":
                refund_said = "I could not refund it (%s)." % reason(error) if error is not None \
                    else "I refunded %s." % (field(result, "amount") or total)
                continue
            if error is not None:
                result, error = turn.ask([(name, arguments)])[0]
            if error is not None:
                track_said = "I could not track the parcel %s (%s)." % (tracking, reason(error))
            else:
                eta = field(result, "eta")
                track_said = "The parcel %s is %s%s." % (
                    tracking, field(result, "state") or "unknown", eta and ", expected " + eta)
    return [sentence for sentence in (refund_said, track_said) if sentence]


def order_line(number, result, error):
    if error is not None:
        return "I could not look up order %s (%s)." % (number, reason(error))
    return "Order %s is %s, total %s." % (
        number, field(result, "status") or "unknown", field(result, "total") or "unknown")


def orders_line(email, result, error):
    if error is not None:
        return "I could not search the orders of %s (%s)." % (email, reason(error))
    orders = result.get("orders") if isinstance(result, dict) else None
    if not isinstance(orders, list) or not orders:
        return "I found no orders for %s." % email
    listed = ", ".join("%s (%s, %s)" % tuple(field(order, key) or "unknown"
                                             for key in ("id", "status", "total"))
                       for order in orders)
    return "I found %d order%s for %s: %s." % (
        len(orders), "" if len(orders) == 1 else "s", email, listed)


def article_line(topic, result, error):
    if error is not None:
        return "I could not read the article on %s (%s)." % (topic, reason(error))
    return field(result, "text") or "The article on %s is empty." % topic


def value_line(expression, result, error):
    if error is not None:
        return "I could not calculate %s (%s)." % (expression, reason(error))
    return "%s = %s." % (expression, field(result, "value") or "unknown")


def field(result, key):
    """A result's field as text. A field that is absent or null is the empty text."""
    value = result.get(key) if isinstance(result, dict) else None
    if value is None:
        return ""
    return value if isinstance(value, str) else compact(value)


def reason(error):
    return field(error, "message") or "no reason given"


# ---- The loop --------------------------------------------------------------------------------

def answer(message):
    attempt = message.get("attempt")
    if not isinstance(attempt, str):
        note("skipped a turn without an attempt")
        return
    text = message.get("input")
    if not isinstance(text, str):
        send({"type": "failure", "attempt": attempt, "message": "the input is not text"})
        return
    history, setup = message.get("history"), message.get("setup")
    history = history if isinstance(history, list) else []
    setup = setup if isinstance(setup, dict) else {}
    turn = Turn(attempt, [history, text] if history else text)
    try:
        turn.reply(work(turn, understand(text, history, setup)))
    except Cancelled:
        # The failure says that the work has stopped, so this process may be kept.
        send({"type": "failure", "attempt": attempt, "message": "cancelled"})
    except Exception as error:  # The agent's own fault: say so and stay ready for the next turn.
        note("attempt %s failed: %r" % (attempt, error))
        send({"type": "failure", "attempt": attempt, "message": str(error)})


def main():
    send({"type": "hello", "protocol": PROTOCOL, "name": NAME, "version": VERSION,
          "fixtures": {"email": "the e-mail address of the customer who is signed in"},
          "breakableTools": ["track_parcel"]})
    while True:
        message = receive()
        kind = message.get("type")
        if kind == "hello":
            if message.get("protocol") != PROTOCOL:
                note("this agent speaks protocol 1, not %r" % message.get("protocol"))
                sys.exit(2)
        elif kind == "turn":
            answer(message)
        # Anything else is late or unknown. It is no fault to skip it.


if __name__ == "__main__":
    main()
