#!/usr/bin/env python3
"""The support agent of ../python/support_agent.py as an HTTP service (docs/http.md).

    python3 examples/http/support_service.py 8080

A POST of {"input": ..., "history": [...], "tools": "http://..."} gets {"output": ..., ...}. Port 0
takes a free one. The first line on standard output names the address.

It needs Python 3.8 or later and nothing else.
"""

import json
import pathlib
import sys
import urllib.error
import urllib.parse
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "python"))
import support_agent as agent  # noqa: E402  (the rules that pick the tools)

# Tool calls go to this machine. No proxy may stand between.
OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class HttpTurn(agent.Turn):
    """A turn whose tools are called over HTTP."""

    def __init__(self, tools, read):
        super().__init__(None, read)
        self.tools = tools

    def ask(self, calls):
        self._decide()
        answers = []
        for name, arguments in calls:
            self.calls += 1
            self.tokens["output"] += 1 + agent.words(agent.compact(arguments))
            answers.append(self._call(name, arguments))
        self.seen += sum(agent.words(agent.compact(result if error is None else error))
                         for result, error in answers)
        return answers

    def _call(self, name, arguments):
        """The answer of one tool as a pair (result, error); one is None."""
        request = urllib.request.Request(
            "%s/%s" % (self.tools, urllib.parse.quote(name, safe="")),
            data=agent.compact(arguments).encode("utf-8"),
            headers={"Content-Type": "application/json", "X-Taketwo-Step": str(self.steps)})
        try:
            with OPENER.open(request) as response:
                return json.load(response), None
        except urllib.error.HTTPError as answer:
            if answer.code != 424:  # 424: the tool's own error. All else is a fault of the call.
                raise
            return None, json.load(answer)["error"]

    def reply(self, text):
        self._decide()
        self.tokens["output"] += agent.words(agent.compact(text))
        return {"output": text, "modelCalls": self.steps, "tokens": self.tokens}


def answer(message):
    text, history, setup = (message.get(key) for key in ("input", "history", "setup"))
    if not isinstance(text, str):
        raise ValueError("the input is not text")
    history = history if isinstance(history, list) else []
    setup = setup if isinstance(setup, dict) else {}
    turn = HttpTurn(message["tools"], [history, text] if history else text)
    return turn.reply(agent.work(turn, agent.understand(text, history, setup)))


class Service(BaseHTTPRequestHandler):
    def do_POST(self):
        try:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            status, said = 200, answer(json.loads(body))
        except Exception as error:
            status, said = 500, {"error": str(error)}
        said = agent.compact(said).encode("utf-8")
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    def log_message(self, *args):
        pass


def main():
    port = int(sys.argv[1]) if len(sys.argv) > 1 else 8080
    server = ThreadingHTTPServer(("127.0.0.1", port), Service)
    print("http://127.0.0.1:%d/turn" % server.server_address[1], flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
