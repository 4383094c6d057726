// Checks the files against what the workers were told. Each fault is
// { kind: "lost" | "torn" | "doubled", why }.
const byOperation = (records, ...operations) => records.filter(({ operation }) => operations.includes(operation));
const done = (records) => records.filter(({ outcome }) => outcome === "ok");
const fault = (kind, why) => ({ kind, why });

/** One inbox: a list to which is appended, whose entries one process takes and acknowledges. */
export function checkInbox({ form, owner, entries, records }) {
  const faults = [];
  const sends = new Map(
    byOperation(records, "send").flatMap((send) => (send.args.to === owner ? [[send.args.tag, send]] : [])),
  );
  const own = records.filter(({ slot }) => `m${slot}` === owner);
  const firstAcknowledged = new Map();
  const acknowledged = new Map();
  for (const { args, call, done, outcome } of byOperation(own, "acknowledge")) {
    for (const tag of args.tags) {
      if (!firstAcknowledged.has(tag)) firstAcknowledged.set(tag, call);
      if (outcome === "ok" && !acknowledged.has(tag)) acknowledged.set(tag, done);
    }
  }
  const positions = new Map();
  for (const [index, { summary: tag, text, read }] of entries.entries()) {
    const send = sends.get(tag);
    const [, length, filler] = text.split(" ");
    if (!send || filler?.length !== Number(length)) faults.push(fault("torn", `${owner} holds a strange ${tag}`));
    if (positions.has(tag)) faults.push(fault("doubled", `${owner} holds ${tag} twice`));
    if (send?.outcome === "refused") faults.push(fault("doubled", `${tag} was refused and is there: ${send.result}`));
    if (acknowledged.has(tag) && !read) faults.push(fault("doubled", `${tag} was acknowledged and waits again`));
    positions.set(tag, index);
  }
  let earliest = Number.POSITIVE_INFINITY;
  for (const { summary: tag } of entries.toReversed()) {
    const send = sends.get(tag);
    if (send && earliest < send.call) faults.push(fault("lost", `${tag} stands before one that was sent earlier`));
    earliest = Math.min(earliest, send?.done ?? earliest);
  }
  for (const [tag, { outcome }] of sends) {
    const isTaken = form === "new" && firstAcknowledged.has(tag);
    if (outcome === "ok" && !positions.has(tag) && !isTaken) faults.push(fault("lost", `${tag} to ${owner} is gone`));
  }
  for (const { call, done: end, result } of done(byOperation(own, "take"))) {
    const taken = new Set(result);
    if (taken.size < result.length) faults.push(fault("doubled", `${owner} took a message twice at once`));
    for (const tag of taken) {
      if ((acknowledged.get(tag) ?? end) < call) faults.push(fault("doubled", `${owner} took ${tag} once more`));
    }
    for (const [tag, send] of sends) {
      const wasThere = send.outcome === "ok" && send.done < call && (firstAcknowledged.get(tag) ?? end) >= end;
      if (wasThere && !taken.has(tag)) faults.push(fault("lost", `${owner} was not given ${tag}`));
    }
  }
  return faults;
}

/**
 * The tasks: documents under ids that are given once, claimed by one, and edges that stand on both
 * sides.
 */
export function checkTasks({ form, tasks, records }) {
  const faults = [];
  const asked = (operation) => new Map(byOperation(records, operation).map((record) => [record.args.id, record]));
  const [removals, releases, completions] = [asked("remove"), asked("release"), asked("complete")];
  const created = new Map();
  for (const { result: id, args } of done(byOperation(records, "create"))) {
    if (created.has(id)) faults.push(fault("doubled", `the id ${id} was given twice`));
    created.set(id, args.tag);
    const task = tasks.get(id);
    if (!task && !removals.has(id)) faults.push(fault("lost", `task ${id} is gone`));
    if (task && task.subject !== args.tag) faults.push(fault("torn", `task ${id} is about ${task.subject}`));
  }
  for (const [id, { outcome, result }] of removals) {
    if (outcome === "ok" && result && tasks.has(id)) faults.push(fault("lost", `task ${id} was removed and is there`));
  }
  const claims = new Map();
  for (const claim of done(byOperation(records, "claimNext"))) {
    if (claim.result) claims.set(claim.result, [...(claims.get(claim.result) ?? []), claim]);
  }
  const timesReleased = (id) => byOperation(records, "release").filter(({ args }) => args.id === id).length;
  for (const [id, winners] of claims) {
    if (winners.length > 1 && winners.length > 1 + timesReleased(id))
      faults.push(fault("doubled", `task ${id} was given to ${winners.map(({ slot }) => slot).join(" and ")}`));
    const task = tasks.get(id);
    const isOver = removals.has(id) || releases.has(id) || completions.has(id);
    if (task && !isOver && (task.status !== "in_progress" || task.owner !== `m${winners[0].slot}`))
      faults.push(fault("lost", `task ${id} does not know that ${winners[0].slot} has it`));
  }
  for (const [id, { outcome }] of completions) {
    if (outcome === "ok" && tasks.has(id) && tasks.get(id).status !== "completed")
      faults.push(fault("lost", `task ${id} does not know that it is done`));
  }
  for (const { args, done: end } of done(byOperation(records, "edge"))) {
    const [from, to] = [tasks.get(args.blocker), tasks.get(args.waiting)];
    const isHistory = form === "old" && from?.status === "completed";
    const stands = from?.blocks.includes(args.waiting) && (isHistory || to?.blockedBy.includes(args.blocker));
    if (from && to && !stands) faults.push(fault("lost", `${args.waiting} waits for ${args.blocker} no more`));
    const ended = Math.min(
      ...[completions, removals].map((by) => by.get(args.blocker)?.call ?? Number.POSITIVE_INFINITY),
    );
    for (const claim of claims.get(args.waiting) ?? []) {
      if (end < claim.call && claim.done < ended)
        faults.push(fault("lost", `task ${args.waiting} was claimed while it waited for ${args.blocker}`));
    }
  }
  return [...faults, ...checkEdges(form, tasks)];
}

function checkEdges(form, tasks) {
  const faults = [];
  for (const [id, { blocks, status }] of tasks) {
    for (const other of blocks) {
      const isHistory = form === "old" && status === "completed";
      if (!isHistory && tasks.has(other) && !tasks.get(other).blockedBy.includes(id))
        faults.push(fault("torn", `only ${id} knows that ${other} waits for it`));
    }
  }
  for (const [id, { blockedBy }] of tasks) {
    for (const other of blockedBy) {
      if (tasks.has(other) && !tasks.get(other).blocks.includes(id))
        faults.push(fault("torn", `only ${id} knows that it waits for ${other}`));
    }
  }
  const free = new Set();
  for (let before = -1; before < free.size; ) {
    before = free.size;
    for (const [id, { blockedBy }] of tasks)
      if (blockedBy.every((other) => !tasks.has(other) || free.has(other))) free.add(id);
  }
  if (free.size < tasks.size) faults.push(fault("torn", "some tasks wait for each other in a circle"));
  return faults;
}

/** The members: each that joined is there until it leaves. */
export function checkMembers({ config, records }) {
  const faults = [];
  const names = config.members.map(({ name }) => name);
  const leaves = new Map(byOperation(records, "leave").map((record) => [record.args.name, record]));
  if (new Set(names).size < names.length) faults.push(fault("doubled", `a name stands twice in ${names}`));
  for (const { args } of done(byOperation(records, "join"))) {
    if (!names.includes(args.name) && !leaves.has(args.name)) faults.push(fault("lost", `${args.name} is no member`));
  }
  for (const [name, { outcome }] of leaves) {
    if (outcome === "ok" && names.includes(name)) faults.push(fault("lost", `${name} has left and is a member`));
  }
  return faults;
}
