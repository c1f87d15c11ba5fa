#!/usr/bin/env python3
"""The support desk: a tool program that speaks the taketwo protocol (docs/protocol.md).

It needs Python 3.8 or later and nothing else. Only `release_notes` needs git as well.

The tools do real work in a sandbox folder: a SQLite database, files, a carrier's HTTP service on
the loopback interface, a git repository. Every `begin` puts the sandbox back to its first state.
No answer depends on the clock or on chance, so the same calls get the same answers.

  DESK_HOME   make the sandbox folder in here (default: the folder for temporary files)
  DESK_KEEP   if this is set, leave the sandbox folder in place at the end
"""

import ast
import atexit
import csv
import decimal
import http.server
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import urllib.error
import urllib.parse
import urllib.request
from decimal import Decimal

NAME, VERSION, PROTOCOL = "support-desk", "1.0", 1


class ToolError(Exception):
    def __init__(self, kind, message):
        super().__init__(message)
        self.kind, self.message = kind, message


# ---- The shop: customers and orders in SQLite ------------------------------------------------

FIRST = ["ada", "ben", "cleo", "dan", "eva", "finn", "gina", "hugo", "ines", "jon", "kim", "lena"]
LAST = ["berg", "costa", "dahl", "evans", "fox"]
STATUSES = ["shipped", "delivered", "processing", "returned", "delivered", "shipped", "cancelled",
            "delivered", "shipped", "lost"]


def customers():
    for number in range(60):
        first, last = FIRST[number % 12], LAST[number // 12]
        name = "%s %s" % (first.title(), last.title())
        yield number + 1, name, "%s.%s@example.com" % (first, last)


def orders():
    """120 orders, 1001 to 1120. The first is kept simple: the documents use it."""
    for n in range(120):
        status = STATUSES[n % len(STATUSES)]
        total = "%d.%02d" % (9 + n * 37 % 190, n * 45 % 100) if n else "59.90"
        parcel = status in ("shipped", "delivered", "returned", "lost")
        tracking = "PX-%03d-%03d" % (204 + n, (991 - n * 53) % 1000) if parcel else None
        yield str(1001 + n), n * 7 % 60 + 1, status, total, tracking


class Shop:
    def __init__(self, folder):
        self.path = os.path.join(folder, "shop.db")
        self.db = None
        self.changed = True

    def reset(self):
        if not self.changed:  # Making it anew takes longer than most calls.
            return
        if self.db:
            self.db.close()
        if os.path.exists(self.path):
            os.remove(self.path)
        self.db = sqlite3.connect(self.path)
        self.db.row_factory = sqlite3.Row
        self.db.execute("PRAGMA synchronous = OFF")
        self.db.executescript("""
            CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, email TEXT UNIQUE);
            CREATE TABLE orders (id TEXT PRIMARY KEY, customer INTEGER REFERENCES customers,
                status TEXT NOT NULL, total TEXT NOT NULL, tracking TEXT);
            CREATE TABLE refunds (order_id TEXT PRIMARY KEY REFERENCES orders, amount TEXT);
        """)
        with self.db:
            self.db.executemany("INSERT INTO customers VALUES (?, ?, ?)", customers())
            self.db.executemany("INSERT INTO orders VALUES (?, ?, ?, ?, ?)", orders())
        self.changed = False

    def search_orders(self, email):
        rows = self.db.execute(
            "SELECT o.id, o.status, o.total FROM orders o JOIN customers c ON c.id = o.customer "
            "WHERE c.email = ? ORDER BY o.id", (email.lower(),))
        return {"orders": [dict(row) for row in rows]}

    def get_order(self, order_id):
        row = self.db.execute(
            "SELECT o.id, o.status, o.total, o.tracking, c.email FROM orders o "
            "JOIN customers c ON c.id = o.customer WHERE o.id = ?", (order_id,)).fetchone()
        if row is None:
            raise ToolError("not_found", "no order %s" % order_id)
        return dict(row)

    def get_invoice(self, order_id):
        order = self.get_order(order_id)
        if order["status"] in ("processing", "cancelled"):
            raise ToolError("not_found", "no invoice for order %s" % order_id)
        number, total = int(order_id) - 1001, Decimal(order["total"])
        sold = [STOCK[1 + (number + step * 5) % (len(STOCK) - 1)] for step in range(number % 3 + 1)]
        share = (total / len(sold)).quantize(Decimal("0.01"), decimal.ROUND_DOWN)
        prices = [share] * (len(sold) - 1) + [total - share * (len(sold) - 1)]
        lines = [{"sku": row[0], "name": row[1], "quantity": 1, "price": str(price)}
                 for row, price in zip(sold, prices)]
        return {"number": "INV-%s" % order_id, "order_id": order_id, "lines": lines,
                "total": order["total"], "tax_percent": 19, "currency": "EUR"}

    def refund(self, order_id, amount):
        order = self.get_order(order_id)
        if order["status"] not in ("delivered", "returned"):
            raise ToolError("refused", "order %s is %s" % (order_id, order["status"]))
        if not re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,2})?", amount) or not Decimal(amount):
            raise ToolError("bad_arguments", "the amount is no sum of money: %s" % amount)
        if Decimal(amount) > Decimal(order["total"]):
            raise ToolError("refused", "order %s cost only %s" % (order_id, order["total"]))
        self.changed = True
        with self.db:
            self.db.execute("INSERT INTO refunds VALUES (?, ?)", (order_id, amount))
            self.db.execute("UPDATE orders SET status = 'refunded' WHERE id = ?", (order_id,))
        return {"order_id": order_id, "amount": amount, "status": "refunded"}


# ---- Files: help articles, notes, the stock list ---------------------------------------------

ARTICLES = {
    "accounts": "You need no account to order. With one you see your orders and change your address "
                "until the parcel leaves.",
    "contact": "Write to help@example.com or call us. We answer on working days.",
    "damage": "Is a parcel damaged? Keep the box, take a photo and write to us within 14 days. "
              "We send a new one at once and ask the carrier later.",
    "discounts": "Students and teachers get 10 percent. Write to us with a photo of your card. "
                 "Only one discount counts for an order.",
    "exchanges": "You can exchange goods within 30 days. We refund the first order and reserve the "
                 "new article for you. It leaves when the old one is back.",
    "gifts": "A gift card is good for three years. Gift wrap costs 3.50 for an order.",
    "invoices": "The invoice comes with the order. A copy can be had for ten years. "
                "Prices hold 19 percent tax.",
    "payment": "We take cards and bank transfer. The invoice comes with the order.",
    "privacy": "We keep your address for as long as the law asks, and sell it to nobody. "
               "Write to us and we show you what we have, or delete it.",
    "returns": "You can return goods within 30 days. Write \"Return\" on the parcel. "
               "The money goes back the way it came.",
    "shipping": "Parcels leave within two working days. Delivery takes three to five days.",
    "warranty": "The warranty lasts two years. Send us the invoice and a photo of the fault.",
}
TERMS = [
    ("The contract", "It is made when we confirm your order by e-mail, not before."),
    ("Prices", "All prices are in euro and hold the tax. Shipping is shown before you order."),
    ("Payment", "By card or by bank transfer. A transfer has to reach us within ten days."),
    ("Delivery", "Within five working days in the country, within ten elsewhere in Europe."),
    ("Part deliveries", "We may send an order in parts. You pay the shipping once."),
    ("Risk", "Until the parcel is in your hands it is ours to worry about."),
    ("Withdrawal", "You may withdraw within 30 days and need not say why. Send the goods back "
                   "within 14 days after that. We pay the return of goods over 40.00."),
    ("Refunds", "The money goes back the way it came, at the latest 14 days after the goods."),
    ("Property", "The goods stay ours until they are paid in full."),
    ("Faults", "The law's two years hold. We mend first, then replace, then refund."),
    ("Damage in transit", "Tell us within 14 days. You lose no right if you do not, but it helps."),
    ("Gift cards", "Good for three years, not for cash, and not for other gift cards."),
    ("Data", "See the article on privacy."),
    ("Disputes", "Write to us first. We take part in the arbitration of the trade's chamber."),
    ("Law", "The law of the country in which you live holds where it protects you more."),
]
ARTICLES["terms"] = "\n".join(
    "%d. %s. %s" % (number + 1, head, text) for number, (head, text) in enumerate(TERMS))
NOTES = {
    "notes/handover.txt": "Open cases: 1003, 1007.\nAsk the carrier about PX-209-726.\n",
    "notes/caf\u00e9.txt": "The caf\u00e9 downstairs takes our parcels after six.\n",
    "notes/2025/april.txt": "New carrier contract.\n",
}
STOCK = [
    ("sku", "name", "in_stock", "restock_date"),
    ("LAMP-01", "Desk lamp", "14", ""),
    ("LAMP-02", "Floor lamp, brass", "0", "2025-07-01"),
    ("MUG-07", "Mug \"Harbour\"", "230", ""),
    ("CHAIR-3", "Folding chair", "0", ""),
    ("CHAIR-8", "Rocking chair", "3", ""),
    ("POT-11", "\u00dcbertopf, terracotta", "41", ""),
    ("CUP-04", "Caf\u00e9 cup", "120", ""),
    ("CUP-05", "Caf\u00e9 cup, large", "0", "2025-06-20"),
    ("RUG-21", "Wool rug, 2 x 3 m", "5", ""),
    ("VASE-9", "Glass vase", "17", ""),
    ("BOOK-2", "Notebook, ruled", "900", ""),
    ("BOOK-3", "Notebook, plain", "0", "2025-06-05"),
    ("CLOCK-1", "Wall clock", "8", ""),
    ("TRAY-6", "Serving tray", "26", ""),
    ("BENCH-4", "Garden bench", "1", ""),
    ("HOOK-30", "Coat hook", "412", ""),
]


class Files:
    def __init__(self, folder):
        self.root = os.path.join(os.path.realpath(folder), "files")
        self.changed = True

    def reset(self):
        if not self.changed:
            return
        shutil.rmtree(self.root, ignore_errors=True)
        texts = {"articles/%s.txt" % topic: text + "\n" for topic, text in ARTICLES.items()}
        texts.update(NOTES)
        for path, text in texts.items():
            full = os.path.join(self.root, *path.split("/"))
            os.makedirs(os.path.dirname(full), exist_ok=True)
            with open(full, "w", encoding="utf-8", newline="\n") as out:
                out.write(text)
        with open(os.path.join(self.root, "stock.csv"), "w", encoding="utf-8", newline="") as out:
            csv.writer(out).writerows(STOCK)
        self.changed = False

    def read_article(self, topic):
        if not re.fullmatch(r"[a-z-]{1,40}", topic):
            raise ToolError("not_found", "no article on %s" % topic)
        try:
            path = os.path.join(self.root, "articles", topic + ".txt")
            with open(path, encoding="utf-8") as text:
                return {"text": text.read().strip()}
        except FileNotFoundError:
            raise ToolError("not_found", "no article on %s" % topic) from None

    def search_articles(self, query, limit):
        """The articles that hold most of the query's words, and where they hold the first one."""
        if not re.fullmatch(r"[0-9]{1,2}(\.0+)?", limit):
            raise ToolError("bad_arguments", "the limit is no small count: %s" % limit)
        wanted = set(re.findall(r"[a-z]{3,}", query.lower()))
        found = []
        for name in sorted(os.listdir(os.path.join(self.root, "articles"))):
            topic = name[:-len(".txt")]
            text = self.read_article(topic)["text"]
            held = {word for word in wanted if word in text.lower() or word in topic}
            # A topic that is named counts as much as four words.
            score = len(held) + 4 * len({word for word in held if word[:6] in topic})
            if held:
                first = min(max(text.lower().find(word), 0) for word in held)
                found.append((-score, topic, text[first:first + 48].replace("\n", " ")))
        found.sort()
        return {"query": query, "found": len(found), "hits": [
            {"topic": topic, "score": -score, "text": text}
            for score, topic, text in found[:int(float(limit))]]}

    def read_file(self, path):
        """A file's text, or a folder's entries. Only what lies in the sandbox can be read."""
        if "\0" in path:
            raise ToolError("bad_arguments", "the path holds a zero byte")
        full = os.path.realpath(os.path.join(self.root, path))
        if full != self.root and not full.startswith(self.root + os.sep):
            raise ToolError("refused", "the path leads out of the sandbox: %s" % path)
        try:
            if os.path.isdir(full):
                names = sorted(os.listdir(full))
                return {"path": path, "entries": [
                    name + ("/" if os.path.isdir(os.path.join(full, name)) else "")
                    for name in names]}
            with open(full, encoding="utf-8") as text:
                return {"path": path, "text": text.read()}
        except (FileNotFoundError, NotADirectoryError):
            raise ToolError("not_found", "no file %s" % path) from None
        except (OSError, ValueError) as error:
            kind = type(error).__name__
            raise ToolError("refused", "cannot read %s: %s" % (path, kind)) from None

    def restock_status(self, sku):
        with open(os.path.join(self.root, "stock.csv"), encoding="utf-8", newline="") as rows:
            for row in csv.DictReader(rows):
                if row["sku"] == sku:
                    return {"sku": sku, "name": row["name"], "in_stock": int(row["in_stock"]),
                            "restock_date": row["restock_date"] or None}
        raise ToolError("not_found", "no article with the number %s" % sku)

    def reserve(self, sku, quantity):
        if not re.fullmatch(r"[0-9]{1,6}(\.0+)?", quantity) or not float(quantity):
            raise ToolError("bad_arguments", "the quantity is no count: %s" % quantity)
        wanted, in_stock = int(float(quantity)), self.restock_status(sku)["in_stock"]
        if wanted > in_stock:
            raise ToolError("refused", "only %d of %s in stock" % (in_stock, sku))
        self.changed = True
        path = os.path.join(self.root, "stock.csv")
        with open(path, encoding="utf-8", newline="") as rows:
            rows = list(csv.reader(rows))
        for row in rows:
            if row[0] == sku:
                row[2] = str(in_stock - wanted)
        with open(path, "w", encoding="utf-8", newline="") as out:
            csv.writer(out).writerows(rows)
        return {"sku": sku, "reserved": wanted, "left": in_stock - wanted}


# ---- The carrier: an HTTP service on the loopback interface ----------------------------------

class Carrier:
    """Some parcels get 503 the first time they are asked for in an attempt. Lost ones get 404.

    Every fortieth from 1026 on always gets 503. Every tenth from 1009 on is on its way: its state
    changes from one time to the next.
    """

    STATES = {"shipped": "in transit", "delivered": "delivered", "returned": "back at the sender"}
    ON_ITS_WAY = [
        ["at the depot", "in the van", "delivered"],
        ["in the van", "delivered"],
        ["at the depot", "at the depot", "at the depot", "in the van"],
    ]

    def __init__(self):
        self.parcels, self.busy, self.down, self.moving, self.asked = {}, set(), set(), {}, {}
        for n, (_, _, status, _, tracking) in enumerate(orders()):
            if tracking and status in self.STATES:  # The carrier does not know the lost ones: 404.
                eta = "2025-06-%02d" % (n % 28 + 1) if status == "shipped" else None
                self.parcels[tracking] = {"state": self.STATES[status], "eta": eta}
                if n % 4 == 1:
                    self.busy.add(tracking)
                if n % 40 == 25:
                    self.down.add(tracking)
                if n % 10 == 8:
                    self.moving[tracking] = self.ON_ITS_WAY[n // 10 % 3]
        carrier = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                code, body = carrier.answer(urllib.parse.unquote(self.path))
                body = json.dumps(body).encode("utf-8")
                self.send_response(code)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def reset(self):
        self.asked.clear()

    def answer(self, path):
        tracking = path[len("/parcels/"):]
        before = self.asked.get(tracking, 0)
        self.asked[tracking] = before + 1
        if tracking in self.down or (tracking in self.busy and not before):
            return 503, {"message": "the carrier is busy"}
        if tracking not in self.parcels:
            return 404, {"message": "no parcel %s" % tracking}
        if tracking in self.moving:
            states = self.moving[tracking]
            state = states[min(before, len(states) - 1)]
            return 200, dict(self.parcels[tracking], state=state)
        return 200, self.parcels[tracking]

    def track_parcel(self, tracking):
        url = "http://127.0.0.1:%d/parcels/%s" % (
            self.server.server_address[1], urllib.parse.quote(tracking, safe=""))
        try:
            with self.opener.open(url, timeout=10) as response:
                return json.loads(response.read().decode("utf-8"))
        except urllib.error.HTTPError as error:
            message = json.loads(error.read().decode("utf-8")).get("message")
            kind = "not_found" if error.code == 404 else "unavailable"
            raise ToolError(kind, "%d %s" % (error.code, message)) from None
        except OSError as error:
            raise ToolError("unavailable", "no answer: %s" % type(error).__name__) from None


# ---- The releases: a git repository ----------------------------------------------------------

RELEASES = [
    ("2.1", "2025-01-15", ["Add the search by e-mail", "Fix the total of a part delivery"]),
    ("2.2", "2025-02-20", ["Add bank transfer", "Show the parcel's number"]),
    ("2.3", "2025-04-02", ["Refund to the first card", "Fix a wrong date in April", "Drop fax"]),
    ("2.10", "2025-05-11", ["Add the \"Harbour\" mug"]),
]


class Releases:
    """No tool writes here, so the repository is made once, at the first call."""

    def __init__(self, folder):
        self.folder = os.path.join(folder, "releases")
        self.ready = False
        self.env = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
        self.env.update(HOME=folder, GIT_CONFIG_NOSYSTEM="1", GIT_CONFIG_GLOBAL=os.devnull,
                        LC_ALL="C", GIT_CEILING_DIRECTORIES=folder)
        for role in ("AUTHOR", "COMMITTER"):
            self.env["GIT_%s_NAME" % role] = "Desk"
            self.env["GIT_%s_EMAIL" % role] = "desk@example.com"

    def git(self, *arguments, date="2025-01-01"):
        stamp = date + "T12:00:00+00:00"
        env = dict(self.env, GIT_AUTHOR_DATE=stamp, GIT_COMMITTER_DATE=stamp)
        try:
            done = subprocess.run(
                ("git", "-C", self.folder) + arguments, env=env, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
        except FileNotFoundError:
            raise ToolError("unavailable", "git is not installed") from None
        if done.returncode:
            said = done.stderr.decode("utf-8", "replace").strip()
            raise ToolError("unavailable", "git: %s" % said)
        return done.stdout.decode("utf-8").splitlines()

    def make(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(self.folder)
        self.git("init", "--quiet")
        for version, date, changes in RELEASES:
            for change in changes:
                self.git("commit", "--quiet", "--allow-empty", "--message", change, date=date)
            self.git("tag", "v" + version)
        self.ready = True

    def release_notes(self, version):
        if not self.ready:
            self.make()
        tags = self.git("tag", "--list", "v*", "--sort=version:refname")
        tag = "v" + version
        if tag not in tags:
            raise ToolError("not_found", "no release %s" % version)
        before = tags[:tags.index(tag)][-1:]
        log = self.git("log", "--reverse", "--date=short", "--format=%ad %s", tag,
                       *["^" + other for other in before])
        return {"version": version, "date": log[-1].split(" ")[0],
                "changes": [line.split(" ", 1)[1] for line in log]}


# ---- The calculator --------------------------------------------------------------------------

def calculate(expression):
    """Decimal arithmetic with + - * / and brackets. The text is parsed, never run."""
    if len(expression) > 200:
        raise ToolError("bad_expression", "the expression is too long")
    source = re.sub(r"([0-9.]+)\s*%\s*of\s+", r"\1 / 100 * ", expression.strip())
    try:
        tree = ast.parse(source, mode="eval")
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise ToolError("bad_expression", "cannot read the expression: %s" % expression) from None

    def value(node):
        if isinstance(node, ast.BinOp):
            left, right = value(node.left), value(node.right)
            if isinstance(node.op, ast.Add):
                return left + right
            if isinstance(node.op, ast.Sub):
                return left - right
            if isinstance(node.op, ast.Mult):
                return left * right
            if isinstance(node.op, ast.Div):
                return left / right
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.UAdd, ast.USub)):
            inner = value(node.operand)
            return -inner if isinstance(node.op, ast.USub) else inner
        elif isinstance(node, ast.Constant):
            text = ast.get_source_segment(source, node) or ""
            if re.fullmatch(r"[0-9]+(\.[0-9]*)?|\.[0-9]+", text):
                return Decimal(text)
        raise ToolError("bad_expression", "only numbers and + - * / are known: %s" % expression)

    with decimal.localcontext() as context:
        context.prec = 50
        try:
            result = value(tree.body)
            if result.as_tuple().exponent < -6:
                result = result.quantize(Decimal("0.000001"))
        except ZeroDivisionError:
            raise ToolError("bad_expression", "division by zero") from None
        except decimal.InvalidOperation:
            # 0 / 0 also ends here.
            raise ToolError("bad_expression", "the expression has no value") from None
        except decimal.DecimalException:
            raise ToolError("bad_expression", "the value is out of range") from None
        text = format(result, "f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return {"value": "0" if text == "-0" else text}


# ---- The desk and its loop -------------------------------------------------------------------

class Desk:
    def __init__(self, folder):
        self.attempt = None
        shop, files, carrier, releases = Shop(folder), Files(folder), Carrier(), Releases(folder)
        self.parts = [shop, files, carrier]
        self.tools = {  # Each tool with its arguments. All are needed. A number is taken as its text.
            "search_orders": (shop.search_orders, ["email"]),
            "get_order": (shop.get_order, ["order_id"]),
            "get_invoice": (shop.get_invoice, ["order_id"]),
            "refund": (shop.refund, ["order_id", "amount"]),
            "track_parcel": (carrier.track_parcel, ["tracking"]),
            "search_articles": (files.search_articles, ["query", "limit"]),
            "read_article": (files.read_article, ["topic"]),
            "read_file": (files.read_file, ["path"]),
            "restock_status": (files.restock_status, ["sku"]),
            "reserve": (files.reserve, ["sku", "quantity"]),
            "release_notes": (releases.release_notes, ["version"]),
            "calculate": (calculate, ["expression"]),
        }

    def begin(self, attempt):
        self.attempt = None
        for part in self.parts:
            part.reset()
        self.attempt = attempt

    def call(self, attempt, name, arguments):
        if attempt != self.attempt:  # Nobody said `begin`, as in a dialogue by hand.
            self.begin(attempt)
        if not isinstance(name, str) or name not in self.tools:
            raise ToolError("unknown_tool", "no tool %s" % name)
        if isinstance(arguments, str):
            try:
                arguments = json.loads(arguments)
            except (ValueError, RecursionError):
                raise ToolError("bad_arguments", "the arguments are no JSON") from None
        arguments = {} if arguments is None else arguments
        if not isinstance(arguments, dict):
            raise ToolError("bad_arguments", "the arguments are no object")
        tool, wanted = self.tools[name]
        given = []
        for key in wanted:
            value = arguments.get(key)
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                value = json.dumps(value)
            if not isinstance(value, str):
                raise ToolError("bad_arguments", "%s needs the text \"%s\"" % (name, key))
            try:
                value.encode("utf-8")
            except UnicodeEncodeError:
                raise ToolError("bad_arguments", "\"%s\" holds half a character" % key) from None
            given.append(value)
        return tool(*given)


def send(message):
    line = json.dumps(message, separators=(",", ":")) + "\n"
    sys.stdout.buffer.write(line.encode("utf-8"))
    sys.stdout.buffer.flush()


def note(text):
    print(text, file=sys.stderr, flush=True)


def serve(desk):
    """Calls are done one after the other, in the order of their coming.

    So several calls in flight cannot change each other's answers.
    """
    send({"type": "hello", "protocol": PROTOCOL, "name": NAME, "version": VERSION})
    for line in sys.stdin.buffer:
        if not line.strip():
            continue
        try:
            message = json.loads(line.decode("utf-8"))
            kind = message.get("type")
        except (ValueError, RecursionError, AttributeError) as error:
            note("skipped a line that is no JSON object: %s" % error)
            continue
        if kind == "hello" and message.get("protocol") != PROTOCOL:
            note("this desk speaks protocol 1, not %r" % message.get("protocol"))
            return 2
        if kind == "begin":
            try:
                desk.begin(message.get("attempt"))
            except Exception as error:  # The attempt's first call tries once more and tells of it.
                note("begin failed: %r" % error)
        elif kind == "tool_call":
            head = {"attempt": message.get("attempt"), "call": message.get("call")}
            try:
                result = desk.call(head["attempt"], message.get("name"), message.get("arguments"))
                send({"type": "tool_result", **head, "result": result})
            except ToolError as error:
                send({"type": "tool_error", **head,
                      "error": {"type": error.kind, "message": error.message}})
            except Exception as error:
                note("%s failed: %r" % (message.get("name"), error))
                send({"type": "tool_error", **head,
                      "error": {"type": "internal", "message": type(error).__name__}})
    return 0


def main():
    home = os.environ.get("DESK_HOME") or None
    if home:
        os.makedirs(home, exist_ok=True)
    folder = tempfile.mkdtemp(prefix="desk-", dir=home)
    if not os.environ.get("DESK_KEEP"):
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    return serve(Desk(folder))


if __name__ == "__main__":
    sys.exit(main())
