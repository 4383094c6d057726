"""The messages of a team on disk: put in, looked at, taken out."""

import hashlib
import json
import uuid
from collections import Counter

from documents import judge_inbox, judge_message, put
from files import Lock, Refusal, publish, read, read_to_write, write
from team_store import member_of, ordered

ENTRY_KEYS = "from text summary timestamp color msgV msg_id type read lead_sig".split()


class Inboxes:
    def __init__(self, store):
        self.store = store

    def append(self, team, agent, sender, text, summary=None):
        if judge_message(text, self.store.revision)[0]:
            raise Refusal("refused", "this text would act as a structured message; only the runtime writes those")
        config, revision = self.store.open(team, to_write=True)
        to, by = member_of(config, agent), member_of(config, sender)
        if not to or not by:
            raise Refusal("notFound", f"{sender if to else agent} is no member of {team}")
        fields = {"from": by["name"], "text": text, "summary": summary, "color": by.get("color")}
        self.deliver(team, revision, to, fields)
        return {}

    def deliver(self, team, revision, to, fields):
        path, is_new = self._path(team, to), revision == "2026-11"
        envelope = {"msgV": 1, "msg_id": str(uuid.uuid4()), "type": "message"} if is_new else {}
        entry = ordered(ENTRY_KEYS, **{"timestamp": self.store.stamp(), "read": False, **envelope, **fields})
        path.parent.mkdir(0o700, exist_ok=True)
        with Lock(path):
            entries = entries_to_write(path)
            if is_new and not path.exists():
                publish(path, [])
            publish(path, entries + [entry])

    def read(self, team, agent):
        path, revision = self._known(team, agent)
        entries, problems, _ = read(path) or ([], [], True)
        sound, faults = judge_inbox(entries, revision)
        if sound is None:
            raise Refusal("invalid", f"{path} is no inbox")
        seen, messages = Counter(), []
        for raw in filter(waits, entries):
            same = digest(raw)
            seen[same] += 1
            messages.append({**judge_inbox([raw], revision)[0][0], "key": f"{same}.{seen[same]}"})
        return {"messages": messages, "problems": problems + faults}

    def mark_read(self, team, agent, keys=None):
        path, revision = self._known(team, agent, to_write=True)
        named = Counter(key.partition(".")[0] for key in keys or [])

        def is_taken(raw):
            """Of equal messages as many as were named: their places move when one of them is pruned."""
            named[digest(raw)] -= 1
            return keys is None or named[digest(raw)] >= 0

        if path.exists():
            with Lock(path):
                entries = entries_to_write(path)
                if revision == "2026-11":  # neither the delivered nor the unusable stay
                    entries = [raw for raw in entries if waits(raw) and not is_taken(raw)]
                for raw in entries if revision == "2026-02" else []:
                    if waits(raw) and is_taken(raw):
                        put(raw, ENTRY_KEYS, "read", True)
                publish(path, entries)
        return {}

    def _path(self, team, member):
        return self.store.team_place(team) / "inboxes" / f"{member['name']}.json"

    def _known(self, team, agent, to_write=False):
        config, revision = self.store.open(team, to_write)
        member = member_of(config, agent)
        if not member:
            raise Refusal("notFound", f"{agent} is no member of {team}")
        return self._path(team, member), revision


def waits(raw):
    """Whether what stands in the file is a message still to be delivered."""
    return isinstance(raw, dict) and all(isinstance(raw.get(key), str) for key in ("from", "text", "timestamp")) \
        and raw.get("read") is not True


def digest(raw):
    same = json.dumps([raw.get(key) for key in ("msg_id", "from", "timestamp", "text")])
    return hashlib.sha256(same.encode()).hexdigest()[:16]


def entries_to_write(path):
    """Under the lock. What can never be an inbox again is copied aside and gives way to an empty one."""
    try:
        entries = read_to_write(path)
        if entries is None or isinstance(entries, list):
            return entries or []
    except Refusal as refusal:
        if refusal.code != "invalid":
            raise
    write(path.with_name(f"{path.name}.damaged.{uuid.uuid4().hex[:8]}"), path.read_bytes())
    return []
