"""The tasks of a team on disk: ids, states, dependencies, claims."""

import os
import random
import time
from contextlib import ExitStack
from re import fullmatch
from typing import NamedTuple

from dependencies import blockers, edges_of, half_edges, internal, link, obstacle, others, reaches, usable
from documents import compact, judge_task, put
from files import WAIT, Busy, Lock, Refusal, publish, read, still_held, write
from inboxes import Inboxes
from team_store import lead_of, member_of, ordered

TASK_KEYS = "id subject description activeForm owner status blocks blockedBy metadata".split()
KEEP = object()


class Found(NamedTuple):
    task: dict  # as it stands in the file; None for one that cannot be used
    problems: list
    is_faithful: bool


class TaskList:
    def __init__(self, store):
        self.store, self.seen = store, {}

    def create(self, team, subject, description, active_form=None, metadata=None):
        self.store.open(team, to_write=True)
        place = self._place(team)
        with Lock(place / ".lock"):
            if not (place / ".lock").exists():
                write(place / ".lock", b"")
            id = str(self._highest(team) + 1)
            task = ordered(TASK_KEYS, id=id, subject=subject, description=description, activeForm=active_form,
                           status="pending", blocks=[], blockedBy=[], metadata=metadata)
            publish(self._path(team, id), task)
        return {"id": id, "task": task}

    def get(self, team, id):
        self.store.open(team)
        found = self._read(team, id)
        if found.task is None:
            raise Refusal("invalid", f"task {id} cannot be used: {found.problems[-1]['code']}")
        return {"task": found.task, "problems": found.problems}

    def list(self, team):
        self.store.open(team)
        tasks = self._scan(team, seconds=1.0)
        waits = blockers(tasks)
        shown = [{**ordered(("id", "subject", "status", "owner"), **task), "blockedBy": waits[id]}
                 for id, (task, *_) in tasks.items() if task and task["status"] != "deleted" and not internal(task)]
        return {"tasks": shown, "problems": [{"id": id, **p} for id, found in tasks.items() for p in found.problems]}

    def claim(self, team, agent, id=None):
        member = member_of(self.store.open(team, to_write=True)[0], agent)
        if not member:
            raise Refusal("refused", f"{agent} is no member of {team}")

        def wanted(tasks):
            waits = blockers(tasks)
            return [id] if id else [other for other in tasks if not obstacle(other, tasks, waits)][:1]

        def work(tasks, ids, change):
            if not ids:
                return {"claimed": False, "reason": "none"}
            reason = obstacle(ids[0], tasks, blockers(tasks))
            if reason:
                raise Refusal(reason, f"task {ids[0]} cannot be claimed now: {reason}")
            change(ids[0], "owner", member["name"])
            change(ids[0], "status", "in_progress")
            return {"claimed": True, "task": tasks[ids[0]].task}

        return self._together(team, wanted, work)

    def update(self, team, id, subject=None, description=None, active_form=None, status=None, owner=KEEP,
               add_blocks=(), add_blocked_by=(), metadata=None, by=None):
        if status == "deleted":
            return self._delete(team, id)
        config, revision = self.store.open(team, to_write=True)
        giver = member_of(config, by) if by else lead_of(config)
        mate = member_of(config, owner) if isinstance(owner, str) else None
        if isinstance(owner, str) and not (mate and giver):
            raise Refusal("refused", f"{by if mate else owner} is no member of {team}")
        edges = [(id, other) for other in add_blocks] + [(other, id) for other in add_blocked_by]
        former = None

        def wanted(tasks):
            freed = [i for i, (task, *_) in tasks.items() if task and id in task["blockedBy"]]
            return [id, *add_blocks, *add_blocked_by, *(freed if status == "completed" else [])]

        def work(tasks, ids, change):
            nonlocal former
            task = usable(id, tasks)
            former = task.get("owner")
            for edge in edges:
                usable(edge[0], tasks), usable(edge[1], tasks)
                if reaches(edge[1], edge[0], edges_of(tasks) | set(edges)):
                    raise Refusal("refused", f"task {edge[1]} waiting for task {edge[0]} would close a circle")
            for edge in edges:
                link(edge, tasks, change)
            if status == "in_progress" != task["status"] and blockers(tasks)[id]:
                raise Refusal("blocked", f"task {id} waits for {', '.join(blockers(tasks)[id])}")
            state = status or ("pending" if owner is None and task["status"] == "in_progress" else None)
            named = {"subject": subject, "description": description, "activeForm": active_form, "status": state}
            for key, value in named.items():
                if value is not None:
                    change(id, key, value)
            if owner is not KEEP:
                change(id, "owner", mate and mate["name"])
            if metadata is not None:
                merged = {**task.get("metadata", {}), **metadata}
                change(id, "metadata", {k: v for k, v in merged.items() if v is not None})
            if status == "completed" and revision == "2026-02":
                for other, rest in others(id, ids, tasks):
                    change(other, "blockedBy", [i for i in rest["blockedBy"] if i != id])
            return {"task": task}

        done = self._together(team, wanted, work) if status or edges else self._alone(team, id, work)
        if mate and former != mate["name"] and (revision == "2026-11" or mate is not giver):
            self._tell(team, revision, mate, giver, done["task"])
        return done

    def _tell(self, team, revision, mate, giver, task):
        now = self.store.stamp()
        text = compact({"type": "task_assignment", "taskId": task["id"], "subject": task["subject"],
                        "description": task["description"], "assignedBy": giver["name"], "timestamp": now})
        Inboxes(self.store).deliver(team, revision, mate, {"from": giver["name"], "text": text, "timestamp": now})

    def _delete(self, team, id):
        self.store.open(team, to_write=True)

        def wanted(tasks):
            return [id, *(i for i, (task, *_) in tasks.items() if task and id in task["blocks"] + task["blockedBy"])]

        def work(tasks, ids, change):
            usable(id, tasks)
            for other, rest in others(id, ids, tasks):
                for key in ("blocks", "blockedBy"):
                    change(other, key, [i for i in rest[key] if i != id])
            write(self.store.task_place(team) / ".highwatermark", str(self._highest(team)).encode())
            still_held()
            self._path(team, id).unlink()
            del tasks[id]
            return {}

        return self._together(team, wanted, work)

    def _place(self, team):
        """Made anew where it is missing, but not for a team that is going."""
        place = self.store.task_place(team)
        if not place.is_dir():
            with Lock(self.store.team_place(team) / "config.json"):
                self.store.open(team)
                place.mkdir(0o700, parents=True, exist_ok=True)
        return place

    def _path(self, team, id):
        if not fullmatch("[1-9][0-9]{0,14}", id):
            raise Refusal("invalid", f"{id!r} is no task id")
        return self.store.task_place(team) / f"{id}.json"

    def _ids(self, team):
        try:
            names = os.listdir(self.store.task_place(team))
        except FileNotFoundError:
            return []
        return sorted((name[:-5] for name in names if fullmatch(r"[1-9][0-9]{0,14}\.json", name)), key=int)

    def _highest(self, team):
        mark = self.store.task_place(team) / ".highwatermark"
        digits = fullmatch(rb"\s*([0-9]{1,15})\s*", mark.read_bytes()) if mark.is_file() else None
        return max([int(digits[1]) if digits else 0, *map(int, self._ids(team))])

    def _read(self, team, id, until=None):
        path = self._path(team, id)
        try:
            found = read(path, until)
        except Refusal as refusal:
            return Found(None, [{"code": "damaged", "message": str(refusal)}], False)
        if found is None:
            raise Refusal("notFound", f"there is no task {id}")
        sound, problems = judge_task(found[0], self.store.revision, id)
        return Found(sound and found[0], found[1] + problems, found[2])

    def _scan(self, team, ids=None, seconds=0.1):
        """Tasks by their ids, in numeric order; damaged ones share the time in which they are read again."""
        until, found = time.monotonic() + seconds, {}
        for id in self._ids(team) if ids is None else ids:
            try:
                found[id] = self._remembered(team, id, until) if ids is None else self._read(team, id, until)
            except (Refusal, FileNotFoundError):
                pass  # deleted since
        return found

    def _remembered(self, team, id, until):
        """As it was read before, while the file is the same; one that was just written could change without a trace."""
        path = self._path(team, id)
        status = path.stat()
        mark = status.st_ino, status.st_size, status.st_mtime_ns
        if self.seen.get(path, [None])[0] != mark:
            found = self._read(team, id, until)
            if found.task is None or abs(time.time() - status.st_mtime) < 0.1:
                return found
            self.seen[path] = mark, found
        return self.seen[path][1]

    def _alone(self, team, id, work):
        with Lock(self._path(team, id)):
            return self._apply(team, {id: self._read(team, id)}, [id], work)

    def _together(self, team, wanted, work):
        """Work under .lock.lock and the locks of the wanted tasks; if one of those is busy, none is kept meanwhile."""
        until = time.monotonic() + WAIT
        while True:
            try:
                with ExitStack() as locks:
                    locks.enter_context(Lock(self.store.task_place(team) / ".lock", until))
                    tasks = self._scan(team)
                    ids, torn = wanted(tasks), half_edges(tasks)
                    paths = {self._path(team, id) for id in [*ids, *(id for edge in torn for id in edge)]}
                    locked = sorted((path.stem for path in paths), key=int)
                    for id in locked:
                        locks.enter_context(Lock(self._path(team, id), time.monotonic() + 0.15))
                    tasks = {**{id: found for id, found in tasks.items() if id not in locked},
                             **self._scan(team, locked, 0.2)}
                    return self._apply(team, tasks, ids, work, torn)
            except Busy:
                if time.monotonic() > until:
                    raise
            time.sleep(random.uniform(0.01, 0.05))

    def _apply(self, team, tasks, ids, work, torn=()):
        changed = {}

        def change(id, key, value):
            task, _, is_faithful = tasks[id]
            if compact(task.get(key)) == compact(value):
                return
            if not is_faithful:
                raise Refusal("refused", f"task {id} holds what cannot be written back as it is")
            if value is None:
                del task[key]
            else:
                put(task, TASK_KEYS, key, value)
            changed[id] = task

        result = work(tasks, ids, change)
        for edge in torn if changed else ():  # a writer died between its two sides
            if edge in half_edges(tasks):
                link(edge, tasks, change)
        for id, task in changed.items():
            publish(self._path(team, id), task)
        return result
