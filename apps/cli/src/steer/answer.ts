import { setTimeout as delay } from "node:timers/promises";
import { type PermissionMode, TroupeError } from "@troupe/protocol";
import type { Participant } from "@troupe/store";
import { answerRequest, type Reply } from "@troupe/team";
import { type Answer, type Call, exits } from "../command.ts";
import { actor, openTeam } from "../open.ts";
import { withPatience } from "./patience.ts";
import { outcomeOf, requestCalled, type Shown, waitingIn } from "./requests.ts";

type Decision = "allowed" | "denied";
type AnswerCall = Call<{ team: string; request: string }, { readonly note?: string; readonly mode?: PermissionMode }>;

/** How long the asker may take to say that it has heard the answer. */
const patienceMs = 10_000;

/** Answers a request as the person at the lead's screen does. */
export async function answer(call: AnswerCall, kind: Shown["kind"], decision: Decision): Promise<Answer> {
  assertPerson(call);
  const reply = replyFrom(call, decision);
  const team = await openTeam(call, call.args.team);
  const self = await actor(team, undefined);
  const request = await toldWhole(async () =>
    requestCalled(team.name, kind, await waitingIn(call, team, kind), call.args.request),
  );
  if (request.kind === "permission" && !request.request) {
    const message = `what ${request.from} wants to do is too long to be looked at from here: answer at the lead's screen`;
    throw new TroupeError("arguments_invalid", message, { request: request.id });
  }
  const { isFirst } = await answerRequest({ self, now: call.now }, request, reply);
  if (!isFirst) return second(team.name, request);
  await finishMessage(self, request);
  const outcome = request.isRecorded ? await heard(call, team, request) : undefined;
  if (outcome !== undefined && outcome !== decision) return second(team.name, request, outcome);
  const { id, from } = request;
  const did = `${verbs[kind][decision]} for ${from}`;
  return {
    document: { team: team.name, request: id, kind, from, answer: decision, isHeard: outcome === decision },
    text: [outcome === decision ? did : `${did}; ${from} has not said yet that it heard so`],
  };
}

/** Looks, a tenth of a second apart, for the message that says the rest of a request. */
const looks = 20;

/** A request is recorded a moment before its message is there. */
async function toldWhole(look: () => Promise<Shown>): Promise<Shown> {
  for (let left = looks; ; left -= 1) {
    const request = await look();
    if (request.kind !== "permission" || request.request || left === 0) return request;
    await delay(100);
  }
}

const verbs = {
  permission: { allowed: "allowed", denied: "denied" },
  plan: { allowed: "the plan is approved", denied: "the plan is rejected" },
} as const;

function second(team: string, { kind, from, id }: Shown, outcome?: string): Answer {
  const how = outcome === undefined ? "" : ` (${outcome.replace("_", " ")})`;
  return {
    document: { team, request: id, kind, from, answer: null, isHeard: false },
    exit: exits.failed,
    remark: `${id} of ${from} was answered before, at another place${how}: that counts, and nothing was changed`,
  };
}

/** The program that an agent runs must not decide what that agent may do. */
export function assertPerson({ environment }: Pick<Call, "environment">): void {
  const sign = ["CLAUDECODE", "TROUPE_TEAMMATE"].find((name) => environment[name]);
  if (sign === undefined) return;
  const message = `an agent runs this command (${sign} is set), and requests are answered by a person: run it in a terminal of your own`;
  throw new TroupeError("arguments_invalid", message, { variable: sign });
}

function replyFrom({ options: { note, mode } }: AnswerCall, decision: Decision): Reply {
  if (decision === "denied") return { behavior: "deny", message: note ?? "the person said no" };
  return { behavior: "allow", note, ...(mode !== undefined && { mode }) };
}

/**
 * Takes the request out of the lead's inbox where no session of the lead does that: one that runs
 * has the mail, and finds the request answered.
 */
async function finishMessage(self: Participant, { message }: Shown): Promise<void> {
  if (!message) return;
  try {
    const lease = await self.receive({ deadlineMs: 100 });
    const own = (await lease.take()).filter(
      ({ entry }) => entry.text === message.entry.text && entry.from === message.entry.from,
    );
    await lease.acknowledge(new Set(own.map(({ key }) => key))).finally(lease.release);
  } catch {
    // The answer is sent; the message goes when the lead looks at its mail.
  }
}

async function heard(
  call: Pick<Call, "note" | "quietly" | "signal">,
  team: Parameters<typeof outcomeOf>[0],
  request: Shown,
) {
  return withPatience(call, `for ${request.from} to hear the answer`, patienceMs, (over) =>
    outcomeOf(team, request, over).catch(() => undefined),
  );
}
