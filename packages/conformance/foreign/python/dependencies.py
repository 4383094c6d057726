"""Who waits for whom among tasks: computed from both sides of every edge, never stored."""

from files import Refusal

DONE = ("completed", "deleted")


def usable(id, tasks):
    if id not in tasks or (tasks[id].task or {}).get("status") == "deleted":
        raise Refusal("notFound", f"there is no task {id}")
    if tasks[id].task is None:
        raise Refusal("invalid", f"task {id} is damaged; it is left as it is")
    return tasks[id].task


def others(id, ids, tasks):
    """Those of the ids that can still be used, with their documents; never the task itself."""
    return [(other, tasks[other].task) for other in ids if other != id and other in tasks and tasks[other].task]


def internal(task):
    return task.get("metadata", {}).get("_internal") is True


def edges_of(tasks):
    """(first, second): second waits for first, seen from either side."""
    sides = ((id, task) for id, (task, *_) in tasks.items() if task)
    return {edge for id, task in sides
            for edge in [*((id, other) for other in task["blocks"]), *((other, id) for other in task["blockedBy"])]}


def half_edges(tasks):
    """Those of unfinished tasks that stand on one side only."""
    return [(a, b) for a, b in edges_of(tasks) if all(i in tasks and tasks[i].task for i in (a, b))
            and tasks[a].task["status"] not in DONE
            and not (b in tasks[a].task["blocks"] and a in tasks[b].task["blockedBy"])]


def link(edge, tasks, change):
    first, second = edge
    for id, key, other in ((second, "blockedBy", first), (first, "blocks", second)):
        if other not in tasks[id].task[key]:
            change(id, key, [*tasks[id].task[key], other])


def reaches(start, goal, edges):
    follow, found, todo = {}, set(), [start]
    for first, second in edges:
        follow.setdefault(first, []).append(second)
    while todo:
        here = todo.pop()
        todo += [] if here in found else follow.get(here, [])
        found.add(here)
    return goal in found


def blockers(tasks):
    """Of each task, what still has to be done first; a task that cannot be read is not known to be done."""
    waits = {id: list(found.task["blockedBy"]) if found.task else [] for id, found in tasks.items()}
    for first, second in edges_of(tasks):
        if second in waits and first not in waits[second]:
            waits[second].append(first)
    isnt_done = {id for id, (task, *_) in tasks.items() if not (task and task["status"] in DONE)}
    return {id: [other for other in others if other in isnt_done] for id, others in waits.items()}


def obstacle(id, tasks, waits):
    if id not in tasks or (tasks[id].task or {}).get("status") == "deleted":
        return "notFound"
    task = tasks[id].task
    if task is None or internal(task):
        return "refused" if task else "invalid"
    return "conflict" if "owner" in task or task["status"] != "pending" else "blocked" if waits[id] else None
