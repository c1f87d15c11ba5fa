#!/usr/bin/env node
// A small support agent that speaks the taketwo protocol (docs/protocol.md).
//
// It needs Node 18 or later and no packages. It picks its tools from the user's words by plain
// rules, the same as examples/python/support_agent.py. To make it your own, keep the part
// "The wire" and replace the part "The agent".

const NAME = "support-agent", VERSION = "1.0", PROTOCOL = 1;

// ---- The wire: read and write one JSON object a line ----------------------------------------

const send = (message) => process.stdout.write(JSON.stringify(message) + "\n");

// Standard error is free text. taketwo keeps it for its report.
const note = (text) => process.stderr.write(text + "\n");

class Cancelled extends Error {}

const open = new Map(); // The turns in hand, by attempt.

// One turn: it sends tool calls, waits for their answers and counts what a reply reports.
class Turn {
  constructor(attempt, read) {
    this.attempt = attempt;
    this.steps = 0;
    this.calls = 0;
    this.waiting = new Map();
    this.seen = words(JSON.stringify(read));
    this.tokens = { input: 0, output: 0 };
  }

  // Send all `calls` at once, as one step. Give the answers in the order of the calls.
  // A call is {name, arguments}. An answer is {result} or {error}.
  ask(calls) {
    this.decide();
    return Promise.all(calls.map(({ name, arguments: given }) => {
      const call = `c${++this.calls}`;
      this.tokens.output += 1 + words(JSON.stringify(given));
      const answer = new Promise((resolve, reject) => this.waiting.set(call, { resolve, reject }));
      send({ type: "tool_call", attempt: this.attempt, call, name, arguments: given,
        step: this.steps });
      return answer;
    }));
  }

  take(message) {
    const waiting = this.waiting.get(message.call);
    if (!waiting) return;
    this.waiting.delete(message.call);
    if (message.type === "tool_result") {
      this.seen += words(JSON.stringify(message.result ?? null));
      waiting.resolve({ result: message.result });
    } else {
      this.seen += words(JSON.stringify(message.error ?? null));
      waiting.resolve({ error: message.error ?? {} });
    }
  }

  cancel() {
    for (const { reject } of this.waiting.values()) reject(new Cancelled());
    this.waiting.clear();
  }

  reply(text) {
    this.decide();
    this.tokens.output += words(JSON.stringify(text));
    send({ type: "reply", attempt: this.attempt, output: text, modelCalls: this.steps,
      tokens: this.tokens });
  }

  decide() {
    this.steps += 1;
    this.tokens.input += this.seen;
  }
}

// A STAND-IN for tokens. No model is called here, so there is no true count to report.
// It counts the pieces between spaces in the compact JSON text. A decision step "reads" the user's
// text and all tool answers so far, and "writes" its tool calls or the reply. Report what your
// model's service reports, or leave `tokens` out: it then stays unknown.
function words(json) {
  return json.split(" ").filter((piece) => piece).length;
}

// ---- The agent: rules in place of a model ---------------------------------------------------

const SUM = /[0-9)] *[*+] *[0-9(]|[0-9)] +[-/] +[0-9(]/;
const TOPICS = [
  ["returns", ["return", "returns", "refund", "refunds", "money"]],
  ["warranty", ["warranty", "guarantee", "broken"]],
  ["shipping", ["ship", "shipping", "deliver", "delivery"]],
  ["payment", ["pay", "payment", "invoice", "card"]],
];

const all = (text, pattern) => text.match(pattern) ?? [];

function strip(text, left, right = left) {
  let start = 0, end = text.length;
  while (start < end && left.includes(text[start])) start += 1;
  while (end > start && right.includes(text[end - 1])) end -= 1;
  return text.slice(start, end);
}

// What the user's words ask for.
function readWishes(text) {
  text = text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
  const email = findEmail(text);
  text = text.replace(/[a-z0-9._+@-]+/g, (piece) => (piece.includes("@") ? "~" : piece));
  const spoken = all(text, /[a-z0-9]+/g);
  const heard = new Set(spoken);
  const any = (...wanted) => wanted.some((word) => heard.has(word));

  // The runs of digits, signs and spaces. A run that is a sum holds no order number.
  const runs = all(text, /[0-9.()+*/ -]+/g).map((run) => strip(run, " .)+*/-", " .(+*/-"));
  const sums = runs.filter((run) => SUM.test(run));
  const numbers = runs.filter((run) => !SUM.test(run)).flatMap((run) => all(run, /[0-9]+/g));
  const orders = [...new Set(numbers.filter((n) => n.length >= 4 && n.length <= 12))].slice(0, 4);

  let expression = null;
  if (sums.length) {
    expression = sums[0];
  } else if (text.includes("how much is ") && !orders.length) {
    let rest = text.slice(text.indexOf("how much is ") + "how much is ".length);
    rest = strip(rest.match(/^[a-z0-9 .,+*/()%-]*/)[0], " .,");
    if (/[0-9]/.test(rest)) expression = rest;
  }

  const refund = any("refund", "refunds", "refunded") ||
    ` ${spoken.join(" ")} `.includes(" money back ");
  const track = any("where", "track", "tracking", "parcel", "package");
  let article = null;
  if (any("policy", "policies", "warranty", "guarantee") ||
      (any("how") && !orders.length && !email && !expression)) {
    article = TOPICS.find(([, keys]) => any(...keys))?.[0] ?? "contact";
  }
  return { email, orders, expression, refund, track, article, any };
}

function findEmail(text) {
  for (const piece of all(text, /[a-z0-9._+@-]+/g)) {
    if (!piece.includes("@")) continue;
    const address = strip(piece, "._+-");
    const at = address.indexOf("@");
    const domain = address.slice(at + 1);
    if (at > 0 && !domain.includes("@") && domain.slice(1).includes(".")) return address;
  }
  return null;
}

function understand(text, history, setup) {
  const wishes = readWishes(text);
  if (wishes.orders.length || wishes.email) return wishes;
  if ((wishes.refund || wishes.track) && !wishes.article) {
    // "Refund it, please": the order number that the conversation named last.
    for (const entry of [...history].reverse()) {
      if (typeof entry?.content !== "string") continue;
      const named = readWishes(entry.content).orders;
      if (named.length) {
        wishes.orders = named.slice(-1);
        return wishes;
      }
    }
  }
  if (wishes.any("order", "orders")) wishes.email = signedIn(setup);
  return wishes;
}

// The e-mail address that the fixture "email" names. One setup may wrap another.
function signedIn(setup) {
  while (setup.then !== null && typeof setup.then === "object") setup = setup.then;
  return setup.fixture === "email" && typeof setup.params === "string" ? setup.params : null;
}

// Call the tools and give the reply's text.
async function work(turn, wishes) {
  const first = wishes.orders.map((n) => ({ name: "get_order", arguments: { order_id: n } }));
  if (wishes.email && !wishes.orders.length) {
    first.push({ name: "search_orders", arguments: { email: wishes.email } });
  }
  if (wishes.article) first.push({ name: "read_article", arguments: { topic: wishes.article } });
  if (wishes.expression) {
    first.push({ name: "calculate", arguments: { expression: wishes.expression } });
  }
  if (!first.length) return "Please tell me your order number or your e-mail address.";

  const said = [], later = [];
  const answers = await turn.ask(first);
  for (const [place, { name, arguments: given }] of first.entries()) {
    const answer = answers[place];
    if (name === "get_order") {
      said.push(orderLine(given.order_id, answer));
      if (wishes.orders.length === 1 && !answer.error) {
        said.push(...await followUp(turn, wishes, given.order_id, answer.result));
      }
    } else if (name === "search_orders") {
      later.push(ordersLine(given.email, answer));
    } else if (name === "read_article") {
      later.push(articleLine(given.topic, answer));
    } else {
      later.push(valueLine(given.expression, answer));
    }
  }
  if (wishes.orders.length > 1 && (wishes.refund || wishes.track)) {
    said.push("Please tell me which one to go on with.");
  }
  return [...said, ...later].join(" ");
}

// The second step of a request about one order: its refund, its parcel, or both at once.
async function followUp(turn, wishes, number, order) {
  const calls = [];
  const status = field(order, "status"), total = field(order, "total");
  const tracking = field(order, "tracking");
  let refundSaid = null, trackSaid = null;
  if (wishes.refund) {
    if (status !== "delivered" && status !== "returned") {
      refundSaid = `I cannot refund it: its status is ${status || "unknown"}.`;
    } else if (!total) {
      refundSaid = "I cannot refund it: its total is unknown.";
    } else {
      calls.push({ name: "refund", arguments: { order_id: number, amount: total } });
    }
  }
  if (wishes.track) {
    if (tracking) calls.push({ name: "track_parcel", arguments: { tracking } });
    else trackSaid = "It has no parcel yet.";
  }
  const answers = calls.length ? await turn.ask(calls) : [];
  for (const [place, call] of calls.entries()) {
    let answer = answers[place];
    if (call.name === "refund") {
      refundSaid = answer.error ? `I could not refund it (${reason(answer.error)}).`
        : `I refunded ${field(answer.result, "amount") || total}.`;
      continue;
    }
    if (answer.error) [answer] = await turn.ask([call]);
    const eta = field(answer.result, "eta");
    trackSaid = answer.error
      ? `I could not track the parcel ${tracking} (${reason(answer.error)}).`
      : `The parcel ${tracking} is ${field(answer.result, "state") || "unknown"}` +
        `${eta && `, expected ${eta}`}.`;
  }
  return [refundSaid, trackSaid].filter((sentence) => sentence);
}

function orderLine(number, { result, error }) {
  if (error) return `I could not look up order ${number} (${reason(error)}).`;
  return `Order ${number} is ${field(result, "status") || "unknown"}, ` +
    `total ${field(result, "total") || "unknown"}.`;
}

function ordersLine(email, { result, error }) {
  if (error) return `I could not search the orders of ${email} (${reason(error)}).`;
  const orders = Array.isArray(result?.orders) ? result.orders : [];
  if (!orders.length) return `I found no orders for ${email}.`;
  const get = (order, key) => field(order, key) || "unknown";
  const listed = orders.map((o) => `${get(o, "id")} (${get(o, "status")}, ${get(o, "total")})`);
  return `I found ${orders.length} order${orders.length === 1 ? "" : "s"} for ${email}: ` +
    `${listed.join(", ")}.`;
}

function articleLine(topic, { result, error }) {
  if (error) return `I could not read the article on ${topic} (${reason(error)}).`;
  return field(result, "text") || `The article on ${topic} is empty.`;
}

function valueLine(expression, { result, error }) {
  if (error) return `I could not calculate ${expression} (${reason(error)}).`;
  return `${expression} = ${field(result, "value") || "unknown"}.`;
}

// A result's field as text. A field that is absent or null is the empty text.
function field(result, key) {
  const value = result !== null && typeof result === "object" ? result[key] : undefined;
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

function reason(error) {
  return field(error, "message") || "no reason given";
}

// ---- The loop -------------------------------------------------------------------------------

async function answer({ attempt, input, history, setup }) {
  if (typeof attempt !== "string") return note("skipped a turn without an attempt");
  if (typeof input !== "string") {
    return send({ type: "failure", attempt, message: "the input is not text" });
  }
  if (!Array.isArray(history)) history = [];
  if (setup === null || typeof setup !== "object") setup = {};
  const turn = new Turn(attempt, history.length ? [history, input] : input);
  open.set(attempt, turn);
  try {
    turn.reply(await work(turn, understand(input, history, setup)));
  } catch (error) {
    if (error instanceof Cancelled) {
      // The failure says that the work has stopped, so this process may be kept.
      send({ type: "failure", attempt, message: "cancelled" });
    } else { // The agent's own fault: say so and stay ready for the next turn.
      note(`attempt ${attempt} failed: ${error.stack}`);
      send({ type: "failure", attempt, message: String(error.message) });
    }
  } finally {
    open.delete(attempt);
  }
}

function take(line) {
  if (!line.trim()) return;
  let message;
  try {
    message = JSON.parse(line);
  } catch (error) {
    return note(`skipped a line that is no JSON: ${error.message}`);
  }
  switch (message?.type) {
    case "hello":
      if (message.protocol !== PROTOCOL) {
        note(`this agent speaks protocol 1, not ${message.protocol}`);
        process.exit(2);
      }
      break;
    case "turn":
      answer(message);
      break;
    case "tool_result":
    case "tool_error":
      open.get(message.attempt)?.take(message);
      break;
    case "cancel":
      open.get(message.attempt)?.cancel();
      break;
    default: // Anything else is unknown. It is no fault to skip it.
  }
}

send({ type: "hello", protocol: PROTOCOL, name: NAME, version: VERSION,
  fixtures: { email: "the e-mail address of the customer who is signed in" },
  breakableTools: ["track_parcel"] });

// Node's readline also ends a line at U+2028 and U+2029, which JSON allows inside a string. So the
// lines are cut here, at "\n" alone. After each line the agent gets its turn to act on it: with a
// whole dialogue piped in at once, an answer must not be read before its call is made.
let rest = "";
process.stdin.setEncoding("utf8");
for await (const chunk of process.stdin) {
  const lines = (rest += chunk).split("\n");
  rest = lines.pop();
  for (const line of lines) {
    take(line);
    await new Promise(setImmediate);
  }
}
take(rest);
// At the end of standard input nothing is left to wait for, and Node exits with 0.
