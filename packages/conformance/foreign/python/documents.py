"""Documents of the agent-team protocol as values: parsed leniently, judged by the schemas, written in one form."""

import json
import os
import re
import unicodedata
from decimal import Decimal
from functools import lru_cache
from pathlib import Path

SCHEMAS = Path(__file__).resolve().parents[4] / "schemas"
BLANK = " \t\r\n"
UNSEEN = re.compile("[\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]")
TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "number": (int, float), "integer": (int, float)}
LOOSE = ("owner", "timestamp")  # a string that breaks their pattern is a fault, and used all the same
MESSAGES = {path.stem[8:] for path in SCHEMAS.glob("2026-11/message-*.json")}


class Damaged(ValueError):
    """Bytes that hold no JSON value."""


def problem(code, path=""):
    return {"code": code, "path": path}


def parse(data):
    """The value in the bytes, what is wrong with them, and whether a rewrite would lose nothing."""
    marked = data.startswith(b"\xef\xbb\xbf")
    text = data[3 * marked:].decode("utf-8", "replace")
    value, problems, is_exact = parse_text(text)
    is_utf8 = text.encode() == data[3 * marked:]
    problems += [problem("byteOrderMark")] * marked + [problem("notUtf8")] * (not is_utf8)
    return value, problems, is_exact and is_utf8


def parse_text(text):
    problems, is_exact = [], True

    def pairs(found):
        if len(dict(found)) < len(found):
            problems.append(problem("doubleKey"))
        return dict(found)

    def number(digits):
        nonlocal is_exact
        value = float(digits)
        is_exact &= abs(value) < float("inf") and Decimal(digits) == Decimal(repr(value))
        return value

    def no_number(word):
        raise Damaged(f"{word} is no JSON")

    decoder = json.JSONDecoder(object_pairs_hook=pairs, parse_float=number, parse_constant=no_number)
    try:
        value, end = decoder.raw_decode(text, len(text) - len(text.lstrip(BLANK)))
    except (ValueError, RecursionError) as error:
        raise Damaged(str(error)) from None
    if text[end:].strip(BLANK):  # a shorter text was written over a longer one
        problems.append(problem("surplus"))
    return value, problems, is_exact


def dump(value):
    return json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False).encode("utf-8", "backslashreplace")


def compact(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "backslashreplace").decode()


def put(document, order, key, value):
    """Sets a key; a new one goes behind the last key present that the order puts before it."""
    if key not in document:
        items = list(document.items())
        earlier = order[:order.index(key)]
        items.insert(max((n for n, (k, _) in enumerate(items, 1) if k in earlier), default=0), (key, value))
        document.clear()
        document.update(items)
    document[key] = value


@lru_cache(maxsize=None)
def schema(revision, name):
    return json.loads((SCHEMAS / revision / f"{name}.json").read_text("utf-8"))


def fits(value, rule):
    """As much of JSON Schema as the published schemas use."""
    types = rule.get("type", [])
    if types and not any(_is(value, t) for t in ([types] if isinstance(types, str) else types)):
        return False
    if isinstance(value, dict):
        known = rule.get("properties", {})
        if not all(k in value for k in rule.get("required", [])) or \
                not all(fits(value[k], known[k]) for k in known if k in value):
            return False
    return (("const" not in rule or (value == rule["const"] and _is(value, "boolean") == _is(rule["const"], "boolean")))
            and ("enum" not in rule or value in rule["enum"])
            and ("not" not in rule or not fits(value, rule["not"]))
            and (not isinstance(value, str) or "pattern" not in rule or bool(_pattern(rule["pattern"]).search(value)))
            and (not _is(value, "number") or rule.get("minimum", value) <= value <= rule.get("maximum", value))
            and (not isinstance(value, list) or all(fits(item, rule.get("items", {})) for item in value))
            and all(fits(value, part) for part in rule.get("allOf", []))
            and all(sum(fits(value, part) for part in rule[k]) in good
                    for k, good in (("anyOf", range(1, 99)), ("oneOf", (1,))) if k in rule))


def _is(value, kind):
    return isinstance(value, TYPES[kind]) and (kind == "boolean" or not isinstance(value, bool)) and \
        (kind != "integer" or value % 1 == 0)


@lru_cache(maxsize=None)
def _pattern(text):
    return re.compile(re.sub(r"\$$", r"\\Z", text), re.A)


def check(document, rule, path=""):
    """A copy without the faulty fields, the faults, and whether everything required is left."""
    if not isinstance(document, dict):
        return {}, [problem("wrong", path)], False
    faulty = [k for k, part in rule["properties"].items() if k in document and not fits(document[k], part)]
    missing = [k for k in rule["required"] if k not in document]
    kept = {k: v for k, v in document.items() if k not in faulty or (k in LOOSE and isinstance(v, str))}
    problems = [problem("wrong", f"{path}/{k}") for k in faulty] + [problem("missing", f"{path}/{k}") for k in missing]
    return kept, problems, all(k in kept for k in rule["required"])


def is_name(value, revision="2026-02"):
    return (fits(value, schema(revision, "team-config")["properties"]["name"]) and not UNSEEN.search(value)
            and len(value.encode()) <= 200)


def fold(name):
    return unicodedata.normalize("NFC", name).lower()


def judge_config(value, revision, directory=None):
    if not isinstance(value, dict) or not isinstance(value.get("members"), list):
        return None, [problem("noConfig")]
    rule = schema(revision, "team-config")
    items = rule["properties"]["members"]["items"]
    kept, problems, _ = check({**value, "members": []}, rule)
    names = set()
    for n, raw in enumerate(value["members"]):
        member, faults, _ = check(raw, items, f"/members/{n}")
        problems += faults
        if "name" not in member or ("planModeRequired" in raw and "planModeRequired" not in member):
            continue
        if fold(member["name"]) in names:
            problems.append(problem("doubleName", f"/members/{n}/name"))
            continue
        names.add(fold(member["name"]))
        if member.get("agentId", f"{member['name']}@{kept.get('name')}") != f"{member['name']}@{kept.get('name')}":
            problems.append(problem("agentIdMismatch", f"/members/{n}/agentId"))
        if member.get("backendType") == "pane":
            member["backendType"] = "tmux"
        kept["members"].append(member)
    if directory not in (None, value.get("name")):
        problems.append(problem("nameMismatch", "/name"))
    if "leadAgentId" in kept and all(m.get("agentId") != kept["leadAgentId"] for m in kept["members"]):
        problems.append(problem("noLead", "/leadAgentId"))
    return kept, problems


def judge_task(value, revision, stem=None):
    """What spoils a field that keeps others from the task spoils all of it."""
    kept, problems, is_whole = check(value, schema(revision, "task"))
    if not is_whole or ("owner" in value and "owner" not in kept):
        return None, problems
    if kept["id"] in kept["blocks"] + kept["blockedBy"]:
        problems.append(problem("waitsForItself", "/blockedBy"))
    if stem in (None, kept["id"]):
        return kept, problems
    return None, problems + [problem("idMismatch", "/id")]


def judge_inbox(value, revision):
    """The entries that were delivered or are to be."""
    if not isinstance(value, list):
        return None, [problem("noArray")]
    rule = schema(revision, "inbox-entry")
    entries, problems = [], []
    for n, raw in enumerate(value):
        entry, faults, _ = check(raw, rule, f"/{n}")
        problems += faults
        if {"from", "text", "timestamp"} <= entry.keys():
            entries.append({**entry, "read": entry.get("read", False)})
    return entries, problems


def judge_message(text, revision):
    """The structured body of a message, or None for an ordinary one; its faults, and whether it can be used."""
    try:
        body, problems, _ = parse_text(text)
    except Damaged:
        return None, [], True
    if not isinstance(body, dict) or problem("surplus") in problems:
        return None, [], True
    body = _plain(body)
    if not isinstance(body.get("type"), str) or body["type"] not in MESSAGES:
        return None, [], True
    rule = schema(revision, f"message-{body['type']}")
    if "oneOf" in rule:  # an answer: any fault, and it is none
        problems += [] if fits(body, rule) else [problem("wrong")]
        return body, problems, not problems
    kept, faults, is_whole = check(body, rule)
    return kept, problems + faults, is_whole


def _plain(body):
    """The body with its aliases resolved; where the proper form stands beside one, it counts."""
    body = dict(body)

    def rename(alias, proper):
        if alias in body:
            value = body.pop(alias)
            body.setdefault(proper, value)

    if body.get("type") == "shutdown_response" and isinstance(body.get("approve"), bool):
        body["type"] = "shutdown_approved" if body.pop("approve") else "shutdown_rejected"
    elif body.get("type") == "idle":
        body["type"] = "idle_notification"
        rename("agent", "from")
    elif body.get("type") == "plan_approval_response":
        rename("approve", "approved")
    if body.get("type") in ("permission_request", "permission_response"):
        rename("requestId", "request_id")
    else:
        rename("request_id", "requestId")
    if isinstance(body.get("planFilePath"), str):
        body["planFilePath"] = os.path.expanduser(body["planFilePath"])
    return body
