import { type AbortReason, createAbort, type Session, type SessionEvent, settingsOf } from "@troupe/runtime";
import { type Ask, askNobody } from "@troupe/team";
import { type Answer, type Call, exits } from "../command.ts";
import { jsonText } from "../json.ts";
import { attended } from "./attended.ts";
import { backendsOf } from "./backends.ts";
import { createBill } from "./bill.ts";
import { openRealSession, openWorktree } from "./compose.ts";
import { leadSeat } from "./lead-seat.ts";
import type { RunOptions } from "./options.ts";
import { promptOf } from "./prompt.ts";
import { createStream, type Ending, endingOf } from "./stream.ts";
import { createTeammateWatch } from "./teammate-watch.ts";
import { typedMessages } from "./typed-messages.ts";
import { defaultRevision, positive, type SessionParts, wishOf, wrong } from "./wish.ts";

type RunCall = Call<{ prompt?: string | undefined }, RunOptions>;

/** Runs an agent on a task, or on messages as they come; or sits a person down at a session. */
export async function run(call: RunCall): Promise<Answer> {
  const { worktree } = call.options;
  checkFormats(call);
  if (worktree === undefined) return work(call, call.cwd);
  const workspace = await openWorktree(call, worktree);
  try {
    return await work(call, workspace.path);
  } finally {
    const { isKept } = await workspace.release();
    if (isKept) call.note(`the worktree ${workspace.path} has changes and stays, on the branch ${workspace.branch}`);
  }
}

/** On a terminal a person sits down at a session; what it needs is loaded for them alone. */
async function sitDown(call: RunCall, wish: SessionParts): Promise<Answer> {
  const { "screen-reader": spoken, "max-budget-usd": budget, backend, team } = call.options;
  if (budget !== undefined) throw wrong('--max-budget-usd needs a task: troupe -p "what is to be done"');
  const { interact } = await import("./interactive.ts");
  const isSpoken = spoken ?? (call.environment["TROUPE_SCREEN_READER"] ?? "") !== "";
  return interact(call, { ...wish, teammates: backend, team, isSpoken });
}

async function work(given: RunCall, cwd: string): Promise<Answer> {
  const { options, signal, streams, note } = given;
  const wish = wishOf(given, cwd);
  const call = { ...given, cwd };
  const { revision = defaultRevision, team } = options;
  if (hasPerson(call)) return sitDown(call, wish);
  const settings = settingsOf({ ...call, flag: JSON.stringify(wish.settings) }).settings;
  const mode = options.backend ?? settings.teammateMode ?? "in-process";
  const takesMessages = options["input-format"] === "stream-json";
  const isStreamed = options["output-format"] === "stream-json";
  const prompt = takesMessages ? undefined : await promptOf(call);

  const bill = createBill();
  const teammates = createTeammateWatch();
  const stopping = createAbort(signal);
  let session: Session | undefined;
  const stream = createStream({
    cwd,
    now: call.now,
    session: () => ({ id: session?.id ?? "", mode: session?.permissions.mode() ?? "default" }),
    servers: Object.keys(settings.mcpServers ?? {}),
    emit: (message) => isStreamed && void streams.output.write(`${jsonText(message)}\n`),
  });
  const isSpent = budgetOf(options);
  const count = (event: SessionEvent) => {
    bill.add(event);
    if (isSpent(bill.total().cost)) stopping.abort("budget" satisfies AbortReason);
  };
  const ask: Ask = (question, until) => {
    stream.denied(question);
    return askNobody(question, until);
  };
  // Nobody looks on: no pane is opened that was not asked for.
  const backends = backendsOf({ call, revision, mode, definitions: wish.definitions, ask, onEvent: count });
  if (options["max-budget-usd"] !== undefined && backends[0]?.name !== "in-process")
    throw wrong(`--max-budget-usd counts what this process asks for: choose --backend in-process, or leave it out`);
  session = await openRealSession(call, {
    ...wish,
    person: { ask, show: note },
    backends,
    onEvent(event) {
      count(event);
      teammates.add(event);
      stream.add(event);
      if (options.verbose && !isStreamed) for (const line of toolsIn(event)) note(line);
    },
  });
  const open = session;
  try {
    for (const problem of open.problems) note(problem);
    const seat = await leadSeat(call, { team, model: wish.model }, open);
    if (seat) open.enter(seat);
    const answered = (ending: Ending) => stream.result(ending, bill.total());
    const emit = (ending: Ending) => isStreamed && void streams.output.write(`${jsonText(answered(ending))}\n`);
    let said: string | undefined;
    // A slash command that the session answers itself starts no turn.
    const submit = async (text: string) => {
      said = await open.submit(text, stopping.signal);
      if (said !== undefined && takesMessages) emit(endingOf(undefined, said));
    };
    if (prompt !== undefined) await submit(prompt);
    const input = takesMessages ? typedMessages(streams.input, submit) : undefined;
    const onTurn = takesMessages
      ? { onTurn: (terminal: Parameters<typeof endingOf>[0]) => emit(endingOf(terminal)) }
      : {};
    const terminal = await attended({ session: open, teammates, signal: stopping.signal, input, ...onTurn });
    if (!stopping.signal.aborted) await input?.ended;
    input?.close();
    const ending = endingOf(terminal, said);
    if (!takesMessages) emit(ending);
    return answerOf(open, ending, options["output-format"], bill.total(), answered(ending));
  } finally {
    await open.close();
  }
}

function checkFormats({ options, args, isJson }: RunCall): void {
  const { "output-format": output, "input-format": input } = options;
  if (isJson && output !== undefined) throw wrong("--json and --output-format are two forms of the answer: choose one");
  if (input !== "stream-json") return;
  if (output !== "stream-json") throw wrong("--input-format stream-json needs --output-format stream-json");
  if (args.prompt !== undefined) throw wrong("--input-format stream-json reads standard input: leave out the prompt");
}

/** A person sits at a terminal, and has given no task. */
function hasPerson({ args, options, streams: { input, output } }: RunCall): boolean {
  const isTerminal = (stream: object) => "isTTY" in stream && stream.isTTY === true;
  const isForPrograms = options["output-format"] !== undefined || options["input-format"] !== undefined;
  return args.prompt === undefined && !isForPrograms && isTerminal(input) && isTerminal(output);
}

/** Whether so much is spent; a cost that is not known is more than any budget. */
function budgetOf(options: RunOptions): (cost: number | undefined) => boolean {
  const budget = positive("max-budget-usd", options["max-budget-usd"], Number.isFinite);
  return (cost) => budget !== undefined && (cost === undefined || cost >= budget);
}

/** The tools that an answer of the model uses, in a line each. */
function toolsIn({ agent, ...event }: SessionEvent): readonly string[] {
  if (event.kind !== "entry" || event.entry.kind !== "answered") return [];
  const by = agent ? `${agent.description}: ` : "";
  return event.entry.answer.content.flatMap(({ type, name, input }) =>
    type === "tool_use" ? [`${by}${name} ${jsonText(input).slice(0, 200)}`] : [],
  );
}

function answerOf(
  { transcript, id: sessionId }: Session,
  { isOk, why, text: result, failure }: Ending,
  format: RunOptions["output-format"] = "text",
  bill: ReturnType<ReturnType<typeof createBill>["total"]>,
  message: object,
): Answer {
  const texts = { text: result === "" ? [] : [result], json: [{ verbatim: jsonText(message) }], "stream-json": [] };
  return {
    document: { sessionId, transcript, isOk, why, result, ...(failure !== undefined && { failure }), ...bill },
    text: texts[format],
    exit: isOk ? exits.done : exits.failed,
    ...(!isOk && { remark: `the task is not done: ${why}${failure === undefined ? "" : `, ${failure}`}` }),
  };
}
