import { type PermissionMode, permissionModes, type Revision, splitToolList, TroupeError } from "@troupe/protocol";
import { type Session, seatBefore, settingsOf, type Terminal } from "@troupe/runtime";
import { askNobody } from "@troupe/team";
import { type Answer, type Call, exits } from "../command.ts";
import { openStore } from "../open.ts";
import { attended } from "./attended.ts";
import { backendsOf } from "./backends.ts";
import { createBill } from "./bill.ts";
import { openRealSession, type SessionWish } from "./compose.ts";
import { codingRole } from "./role.ts";
import { createTeammateWatch } from "./teammate-watch.ts";

interface RunOptions {
  readonly model?: string;
  readonly "permission-mode"?: string;
  readonly "dangerously-skip-permissions"?: boolean;
  readonly "allowed-tools"?: string;
  readonly "disallowed-tools"?: string;
  readonly "max-turns"?: string;
  readonly resume?: string;
  readonly revision?: Revision;
  /** A display mode. */
  readonly teammates?: string;
  readonly "screen-reader"?: boolean;
}

const defaultRevision: Revision = "2026-02";

/** Runs an agent on one task and returns its answer. Never prompts. */
export async function run(call: Call<{ prompt?: string | undefined }, RunOptions>): Promise<Answer> {
  const asked = call.args.prompt;
  if (asked === undefined) return interactively(call);
  const prompt = asked === "-" ? await call.read() : asked;
  if (prompt.trim() === "")
    throw new TroupeError("arguments_invalid", "the task is empty: write what is to be done, or pipe it in with -");
  const bill = createBill();
  const teammates = createTeammateWatch();
  const { revision = defaultRevision, teammates: place } = call.options;
  const mode = place ?? settingsOf(call).settings.teammateMode ?? "in-process";
  const session = await openRealSession(call, {
    ...wishOf(call.options),
    role: codingRole,
    // Nobody looks on: no pane is opened that was not asked for.
    backends: backendsOf({ call, revision, mode, ask: askNobody, onEvent: bill.add }),
    onEvent(event) {
      bill.add(event);
      teammates.add(event);
    },
  });
  try {
    for (const problem of session.problems) call.note(problem);
    const seat = await seatBefore(session, openStore(call));
    if (seat) session.enter(seat);
    // A slash command that the session answers itself starts no turn.
    const said = await session.submit(prompt, call.signal);
    const terminal = await attended(session, teammates, call.signal);
    return answerOf(session, terminal, said, bill.total());
  } finally {
    await session.close();
  }
}

/** On a terminal a person sits down at a session; what it needs is loaded for them alone. */
async function interactively(call: Call<object, RunOptions>): Promise<Answer> {
  const { input, output } = call.streams;
  if (!("isTTY" in input && input.isTTY && "isTTY" in output && output.isTTY))
    throw new TroupeError(
      "arguments_invalid",
      "run needs <prompt>: write what is to be done, or start troupe on a terminal for a session",
    );
  const { interact } = await import("./interactive.ts");
  const isSpoken = call.options["screen-reader"] ?? (call.environment["TROUPE_SCREEN_READER"] ?? "") !== "";
  return interact(call, { ...wishOf(call.options), teammates: call.options.teammates, isSpoken });
}

function wishOf(options: RunOptions): Pick<SessionWish, "model" | "sessionId" | "options" | "allowed" | "denied"> {
  const { model, resume, revision = defaultRevision, teammates, "max-turns": turns } = options;
  const isBypassed = options["dangerously-skip-permissions"] ?? false;
  const mode = isBypassed ? "bypassPermissions" : modeOf(options["permission-mode"], revision);
  const maxTurns = turns === undefined ? undefined : Number(turns);
  if (maxTurns !== undefined && !(Number.isSafeInteger(maxTurns) && maxTurns > 0))
    throw new TroupeError(
      "arguments_invalid",
      `--max-turns takes a whole number above 0, not ${JSON.stringify(turns)}`,
    );
  return {
    model,
    sessionId: resume,
    allowed: splitToolList(options["allowed-tools"] ?? ""),
    denied: splitToolList(options["disallowed-tools"] ?? ""),
    options: {
      revision,
      mode,
      isBypassAvailable: isBypassed,
      // Who says where teammates run wants some, also in a revision where only a person has a team.
      gates: { hasOwnTeam: teammates !== undefined },
      limits: maxTurns === undefined ? {} : { maxTurns },
    },
  };
}

function modeOf(name: string | undefined, revision: Revision): PermissionMode | undefined {
  const mode = permissionModes[revision].find((one) => one === name);
  if (name === undefined || (mode && mode !== "bypassPermissions")) return mode;
  const message =
    mode === undefined
      ? `--permission-mode takes ${permissionModes[revision].join(", ")}, not ${JSON.stringify(name)}`
      : "to bypass permissions, use --dangerously-skip-permissions";
  throw new TroupeError("arguments_invalid", message);
}

function answerOf(
  session: Session,
  terminal: Terminal | undefined,
  said: string | undefined,
  bill: ReturnType<ReturnType<typeof createBill>["total"]>,
): Answer {
  const { transcript, id: sessionId } = session;
  const result = terminal?.text ?? said ?? "";
  const isOk = terminal ? terminal.isOk : said !== undefined;
  const why = terminal?.why ?? "not_begun";
  const failure = terminal && !terminal.isOk ? (terminal.failure?.message ?? terminal.reason) : undefined;
  return {
    document: { sessionId, transcript, isOk, why, result, ...(failure !== undefined && { failure }), ...bill },
    text: result === "" ? [] : [result],
    exit: isOk ? exits.done : exits.failed,
    ...(!isOk && { remark: `the task is not done: ${why}${failure === undefined ? "" : `, ${failure}`}` }),
  };
}
