import { counterModel, inboxModel, linearise, type Model, type Operation, tasksModel } from "@troupe/conformance";

/** A call of a client and how it ended, by the clock that all processes share. */
export interface CallOfClient {
  /** The number of the process: each of a member in its turn, so that the rest tells whose. */
  readonly slot: number;
  readonly operation: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly call: number;
  readonly done: number;
  /** Of "info" and of what is still "open" nobody knows; the reason of a "fail" is a text. */
  readonly outcome: "ok" | "fail" | "info" | "wrong" | "open";
  readonly result?: unknown;
}

/** What the tables hold in the end, messages and events in their order. */
export interface Holding {
  readonly messages: readonly { readonly inbox: string; readonly text: string; readonly state: string }[];
  readonly tasks: readonly {
    readonly id: string;
    readonly subject: string;
    readonly status: string;
    readonly owner: string | null;
  }[];
  readonly events: readonly string[];
  /** The members, by the rest of the number of a process. */
  readonly members: readonly string[];
}

/** More than a history of a minute takes. */
const limits = { ms: 60_000, states: 2 ** 21 };

/** What is lost, doubled, or in an order that no single process could have seen. */
export function faultsIn(calls: readonly CallOfClient[], held: Holding): string[] {
  const wrong = calls.filter(({ outcome }) => outcome === "wrong");
  return [
    ...wrong.map(({ operation, args, result }) => `${operation} ${JSON.stringify(args)}: ${result}`),
    ...tagFaults(
      calls,
      "inbox.append",
      "text",
      held.messages.map(({ text }) => text),
    ),
    ...tagFaults(
      calls,
      "task.create",
      "subject",
      held.tasks.map(({ subject }) => subject),
    ),
    ...tagFaults(calls, "record", "tag", held.events),
    ...[...new Set(held.members)].flatMap((member) => inboxFaults(calls, held, member)),
    ...holderFaults(calls),
    ...createFaults(calls, held),
    ...held.tasks.flatMap((task) => taskFaults(calls, held, task)),
  ];
}

/** Each thing that was acknowledged is there, none is there twice, and none that was refused. */
function tagFaults(
  calls: readonly CallOfClient[],
  operation: string,
  field: string,
  found: readonly string[],
): string[] {
  const made = new Map(calls.filter((one) => one.operation === operation).map((one) => [one.args[field], one.outcome]));
  const there = new Set(found);
  return [
    ...[...made].flatMap(([tag, outcome]) =>
      outcome === "ok" && !there.has(`${tag}`) ? [`lost: ${operation} ${tag}`] : [],
    ),
    ...found.flatMap((tag, at) => (found.indexOf(tag) < at ? [`doubled: ${operation} ${tag}`] : [])),
    ...found.flatMap((tag) => (made.get(tag) === "fail" ? [`done though it failed: ${operation} ${tag}`] : [])),
    ...found.flatMap((tag) => (made.has(tag) ? [] : [`never asked for: ${operation} ${tag}`])),
  ];
}

function inboxFaults(calls: readonly CallOfClient[], { messages }: Holding, inbox: string): string[] {
  const own = messages.filter((message) => message.inbox === inbox);
  const order = own.map(({ text }) => text);
  const unread = own.flatMap(({ text, state }) => (state === "unread" ? [{ text }] : []));
  const named = new Set(["inbox.append", "inbox.read", "take"]);
  const history = calls
    .filter((one) => named.has(one.operation) && one.args["inbox"] === inbox)
    .flatMap(operationOf)
    .filter(
      ({ op, args, ret }) =>
        ret !== undefined || (op === "inbox.append" && order.includes(`${args["text"]}`)) || op === "take",
    );
  return judged(
    `the mail of ${inbox}`,
    [...history, atLast("inbox.read", {}, { messages: unread })],
    inboxModel(order),
  );
}

/** Nobody acknowledges what another process of the member has been given since. */
function holderFaults(calls: readonly CallOfClient[]): string[] {
  const done = calls.filter(({ outcome }) => outcome === "ok");
  const reads = done.filter(({ operation }) => operation === "inbox.read");
  const given = ({ result }: CallOfClient, text: string) =>
    (result as { messages: readonly { text: string }[] }).messages.some((message) => message.text === text);
  return done
    .filter(({ operation }) => operation === "take")
    .flatMap((take) =>
      (take.args["texts"] as readonly string[]).flatMap((text) => {
        const before = reads.filter((read) => read.done < take.call && given(read, text));
        const own = before.filter(({ slot }) => slot === take.slot).at(-1);
        const other = before.find(({ slot, call }) => slot !== take.slot && own && call > own.done);
        return other ? [`acknowledged by ${take.slot} after ${other.slot} was given it: ${text}`] : [];
      }),
    );
}

function createFaults(calls: readonly CallOfClient[], { tasks }: Holding): string[] {
  const there = new Set(tasks.map(({ subject }) => subject));
  const history = calls
    .filter(({ operation }) => operation === "task.create")
    .flatMap(operationOf)
    .filter(({ args, ret }) => ret !== undefined || there.has(`${args["subject"]}`));
  return judged("the ids of tasks", history, counterModel);
}

function taskFaults(
  calls: readonly CallOfClient[],
  { members }: Holding,
  { id, status, owner }: Holding["tasks"][number],
): string[] {
  const worked = new Set(
    calls
      .filter((one) => one.operation === "task.update" && one.args["id"] === id)
      .map(({ slot }) => members[slot % members.length]),
  );
  const history = calls.flatMap((one) => {
    if (one.operation === "task.claim" || one.operation === "task.update")
      return one.args["id"] === id ? operationOf(one) : [];
    if (one.operation !== "claimNext") return [];
    const claim = operationOf({ ...one, operation: "task.claim", args: { ...one.args, id } });
    if (one.outcome === "ok") return (one.result as { id: string | null }).id === id ? claim : [];
    // It may have taken any; one that nobody of this member worked on, and has not, is not it.
    const agent = `${one.args["agent"]}`;
    return worked.has(agent) || owner === agent ? claim : [];
  });
  const last = atLast("observe", { tasks: { [id]: { status, owner } } }, null);
  return judged(`task ${id}`, [...history, last], tasksModel({ [id]: { status: "pending", after: [] } }));
}

/** Nothing, for a call that says that it changed nothing and saw nothing. */
function operationOf({ operation: op, args, call, done, outcome, result }: CallOfClient): Operation[] {
  if (outcome === "ok") return [{ op, args, call, ret: done, outcome, reply: result }];
  if (outcome === "info" || outcome === "open") return [{ op, args, call, outcome: "info" }];
  return outcome === "fail" && result !== null && typeof result === "object"
    ? [{ op, args, call, ret: done, outcome, reply: result }]
    : [];
}

const atLast = (op: string, args: Operation["args"], reply: unknown): Operation => ({
  op,
  args,
  call: Number.MAX_SAFE_INTEGER - 1,
  ret: Number.MAX_SAFE_INTEGER,
  outcome: "ok",
  reply,
});

function judged<State>(what: string, history: readonly Operation[], model: Model<State>): string[] {
  const found = linearise(history, model, limits);
  if (found.verdict === "explained") return [];
  if (found.verdict === "undecided") return [`${what}: undecided after ${found.states} states`];
  const next = found.next.map(({ op, args, outcome, reply }) => JSON.stringify([op, args, outcome, reply]));
  return [
    `${what}: no order explains more than ${found.explained} of ${history.length}; in ${found.state} none of ${next.join(" ")} can come`,
  ];
}
