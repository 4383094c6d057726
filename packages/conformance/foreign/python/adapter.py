"""Lets the conformance suite drive the store: JSON-RPC 2.0, one object per line, on stdin and stdout."""

import json
import os
import re
import sys
from pathlib import Path

sys.dont_write_bytecode = True  # nothing is left beside the sources

from documents import Damaged, judge_config, judge_inbox, judge_message, judge_task, parse
from files import STALE, WAIT, Refusal
from inboxes import Inboxes
from task_list import TaskList
from team_store import TeamStore

CODES = {"notFound": 1001, "conflict": 1002, "blocked": 1003, "invalid": 1004, "locked": 1005, "refused": 1006}
HELLO = {
    "name": "foreign-python", "version": "1", "language": "Python", "protocol": 1, "revisions": ["2026-02", "2026-11"],
    "levels": ["L0", "L1", "L2"], "features": {"clock": True, "fencing": True},
    "quirks": {"lockStyle": "mkdir", "lockPath": "<file>.lock", "staleMs": STALE * 1000, "waitMs": WAIT * 1000},
}


def main():
    store = TeamStore(os.environ["AGENT_TEAMS_HOME"], os.environ.get("CONFORMANCE_REVISION", "2026-02"))
    parts = {"inbox": Inboxes(store), "task": TaskList(store)}
    for line in sys.stdin:
        request = json.loads(line)
        answer = {"jsonrpc": "2.0", "id": request["id"]}
        try:
            answer["result"] = call(store, parts, request["method"], request["params"])
        except (Refusal, FileNotFoundError) as error:
            answer["error"] = {"code": CODES[getattr(error, "code", "notFound")], "message": str(error)}
        except NotImplementedError:
            answer["error"] = {"code": -32601, "message": f"no {request['method']}"}
        print(json.dumps(answer), flush=True)
        if request["method"] == "bye":
            return


def call(store, parts, method, params):
    noun, _, verb = snake(method).partition(".")
    named = {"sender" if key == "from" else snake(key): value for key, value in params.items()}
    if method == "hello":
        store.revision = params["revision"]
        style = "remove" if store.revision == "2026-02" else "keep"
        return {**HELLO, "quirks": {**HELLO["quirks"], "unblockStyle": style}}
    if method == "reset":
        store.root = Path(params["root"])
    elif method == "clock.set":
        store.clock = lambda: params["ms"] / 1000
    elif method == "validate" and params["kind"] != "agentDef":
        return validate(store.revision, **params)
    elif noun in ("team", "member"):
        return getattr(store, f"{noun}_{verb}")(**named)
    elif noun in parts:
        return getattr(parts[noun], verb)(**named)
    elif method != "bye":
        raise NotImplementedError
    return {}


def snake(name):
    return re.sub("[A-Z]", lambda letter: "_" + letter[0].lower(), name)


def validate(revision, kind, text, name=None):
    if kind == "message":
        body, problems, is_usable = judge_message(text, revision)
        return verdict(body, problems, is_usable)
    try:
        value, problems, _ = parse(text.encode("utf-8", "surrogatepass"))
    except Damaged:
        return verdict(None, [{"code": "damaged"}], False)
    if kind == "inbox":
        kept, faults = judge_inbox(value, revision)
    else:
        kept, faults = {"config": judge_config, "task": judge_task}[kind](value, revision, name)
    return verdict(kept, problems + faults, kept is not None)


def verdict(normalized, problems, is_usable):
    grave = [p for p in problems if p["code"] != "byteOrderMark"]
    return {"valid": not grave, "problems": problems, **({"normalized": normalized} if is_usable else {})}


if __name__ == "__main__":
    main()
