"""Teams and their members on disk, in both revisions."""

import os
import time
import uuid
from datetime import datetime, timezone
from pathlib import Path
from re import search

from documents import fold, is_name, judge_config, put
from files import Lock, Refusal, publish, read, read_to_write, remove, still_held, write

LEAD = "team-lead"
COLORS = "blue green yellow purple orange pink cyan red".split()
LEAVING = r"\.deleted-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z"
CONFIG_KEYS = "name description createdAt leadAgentId leadSessionId leadProcess members".split()
LEAD_KEYS = "agentId name agentType model joinedAt tmuxPaneId cwd subscriptions backendType".split()
MATE_KEYS = {
    "2026-02": "agentId name agentType model prompt color planModeRequired joinedAt tmuxPaneId cwd subscriptions "
               "backendType isActive".split(),
    "2026-11": "agentId name color joinedAt tmuxPaneId subscriptions agentType model prompt planModeRequired cwd "
               "backendType isActive".split(),
}


def ordered(keys, **fields):
    return {key: fields[key] for key in keys if fields.get(key) is not None}


def inside(name):
    """A name from a caller as one step of a path, never more."""
    if not name or name in (".", "..") or search(r"[/\\\0\ud800-\udfff]", name) or len(name.encode()) > 200:
        raise Refusal("invalid", f"{name!r} cannot name anything")
    return name


def lead_of(config):
    by_id = (m for m in config["members"] if m.get("agentId") == config.get("leadAgentId"))
    return next(by_id, None) or next((m for m in config["members"] if m.get("agentType") == LEAD), {})


def member_of(config, name):
    return next((m for m in config["members"] if fold(m["name"]) == fold(name)), None)


class TeamStore:
    def __init__(self, root, revision="2026-02", clock=time.time):
        """`revision` is that of the teams made here; one that is there already is kept in its own."""
        self.root, self.revision, self.clock = Path(root), revision, clock

    def team_place(self, team):
        return self.root / "teams" / inside(team)

    def task_place(self, team):
        return self.root / "tasks" / inside(team)

    def _config(self, team):
        return self.team_place(team) / "config.json"

    def now(self):
        return int(self.clock() * 1000)

    def stamp(self):
        moment = datetime.fromtimestamp(self.now() / 1000, timezone.utc)
        return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def team_create(self, team, session_id, cwd, description="", model=""):
        new = self.revision == "2026-11"
        if not is_name(team) or search(LEAVING, team) or not os.path.isabs(cwd):
            raise Refusal("invalid", f"{team!r} cannot name a team, or {cwd!r} is not absolute")
        if new and team != f"session-{session_id[:8].lower()}":
            raise Refusal("invalid", f"session {session_id} leads session-{session_id[:8].lower()} only")
        others = [] if self.team_place(team).exists() else self.team_list()["teams"]
        if any(self._leads(other, session_id) for other in others):
            raise Refusal("refused", f"session {session_id} leads a team already; end that one first")
        for parent in ("teams", "tasks"):
            (self.root / parent).mkdir(0o700, parents=True, exist_ok=True)
        try:
            self.team_place(team).mkdir(0o700)
        except FileExistsError:
            raise Refusal("conflict", f"{team} exists; take another name") from None
        self.task_place(team).mkdir(0o700, exist_ok=True)
        if not new:
            write(self.task_place(team) / ".lock", b"")
        now = self.now()
        lead = ordered(LEAD_KEYS, agentId=f"{LEAD}@{team}", name=LEAD, agentType=LEAD, joinedAt=now, cwd=cwd,
                       model=None if new else model, tmuxPaneId="leader" if new else "", subscriptions=[],
                       backendType="in-process" if new else None)
        publish(self._config(team), ordered(
            CONFIG_KEYS, name=team, description=None if new else description, createdAt=now, members=[lead],
            leadAgentId=lead["agentId"], leadSessionId=session_id, leadProcess=this_process(now) if new else None))
        return {"team": team}

    def _leads(self, team, session_id):
        try:
            return self.team_get(team)["config"].get("leadSessionId") == session_id
        except Refusal:
            return False

    def team_get(self, team):
        found = None if search(LEAVING, team) else read(self._config(team))
        if found is None:
            raise Refusal("notFound", f"there is no team {team}")
        config, problems = judge_config(found[0], self.revision, team)
        if config is None:
            raise Refusal("invalid", f"the config of {team} is damaged")
        return {"config": found[0], "problems": found[1] + problems}

    def team_list(self):
        found = (path.parent.name for path in self.root.glob("teams/*/config.json"))
        return {"teams": sorted(name for name in found if not search(LEAVING, name))}

    def team_delete(self, team, force=False):
        self.open(team, to_write=True)
        with Lock(self._config(team)):
            config, revision = self.open(team)
            if revision == "2026-02" and len(config["members"]) > 1 and not force:
                raise Refusal("refused", f"{team} has teammates; let them end first")
            still_held()
            place = self.team_place(team)
            if revision == "2026-11":
                place = place.rename(f"{place}.deleted-{uuid.uuid4()}")
            (place / "config.json").unlink()  # from now on it is no team, but its name is still taken
            if revision == "2026-02":
                remove(self.task_place(team))
            remove(place)
        return {}

    def open(self, team, to_write=False):
        """The usable part of a config, and the revision the team is kept in."""
        raw = self.team_get(team)["config"]
        config = judge_config(raw, self.revision)[0]
        if lead_of(config).get("tmuxPaneId") == "leader" or "leadProcess" in raw:
            return config, "2026-11"
        for path in self.team_place(team).glob("inboxes/*.json"):
            if to_write and b'"type"' in path.read_bytes():  # as a key; within a text its quotes are escaped
                entries = read(path)[0]
                if isinstance(entries, list) and any(isinstance(e, dict) and "type" in e for e in entries):
                    raise Refusal("refused", f"{team} is kept in a form between the revisions; it is not written")
        return config, "2026-02"

    def member_add(self, team, name, agent_type, model, prompt, cwd, backend, pane_id="", mode=None):
        if not is_name(name) or not os.path.isabs(cwd):
            raise Refusal("invalid", f"{name!r} cannot name a member, or {cwd!r} is not absolute")

        def change(raw, config, revision):
            if member_of(config, name):
                raise Refusal("conflict", f"{name} is a member already; take another name")
            old, tmux = revision == "2026-02", backend == "tmux"
            mates = [m for m in config["members"] if m is not lead_of(config)]
            after = COLORS.index(mates[-1]["color"]) + 1 if mates and mates[-1].get("color") in COLORS else len(mates)
            member = ordered(
                MATE_KEYS[revision], agentId=f"{name}@{team}", name=name, agentType=agent_type, model=model,
                prompt=prompt, color=COLORS[after % 8], planModeRequired=old and mode == "plan",
                joinedAt=self.now(), tmuxPaneId=pane_id if tmux else backend, cwd=cwd, subscriptions=[],
                backendType=backend if pane_id or not tmux else None, isActive=True if old and tmux else None)
            raw["members"].append(member)
            return member

        return {"member": self._change_config(team, change)}

    def member_update(self, team, name, set):
        def change(raw, config, revision):
            member = raw_member(raw, config, name)
            if "isActive" in set and set.get("backendType", member.get("backendType")) == "in-process":
                raise Refusal("refused", "an in-process member has no isActive")
            for key, value in set.items():
                put(member, MATE_KEYS[revision], key, value)
            return member

        return {"member": self._change_config(team, change)}

    def member_remove(self, team, name):
        def change(raw, config, revision):
            member = raw_member(raw, config, name)
            if member.get("agentId") == lead_of(config).get("agentId"):
                raise Refusal("refused", "a team keeps its lead")
            raw["members"].remove(member)

        self._change_config(team, change)
        return {}

    def _change_config(self, team, change):
        self.open(team, to_write=True)
        with Lock(self._config(team)):
            config, revision = self.open(team, to_write=True)
            raw = read_to_write(self._config(team))
            result = change(raw, config, revision)
            publish(self._config(team), raw)
        return result


def raw_member(raw, config, name):
    """The entry as it stands in the file."""
    member = member_of(config, name)
    if not member:
        raise Refusal("notFound", f"{name} is no member")
    return next(m for m in raw["members"] if isinstance(m, dict) and m.get("name") == member["name"])


def this_process(now):
    try:
        start = Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19]
        return {"pid": os.getpid(), "pidSpace": os.readlink("/proc/self/ns/pid"), "claimedAt": now, "procStart": start}
    except OSError:
        return {"pid": os.getpid(), "claimedAt": now}
