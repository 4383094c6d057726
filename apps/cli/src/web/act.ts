import { userInfo } from "node:os";
import { TroupeError } from "@troupe/protocol";
import type { ActedView, ActView } from "@troupe/web";
import { type Answer, type Call, exits } from "../command.ts";
import { run as send } from "../mail/send.ts";
import { actor, openTeam } from "../open.ts";
import type { Span } from "../paint.ts";
import { answer } from "../steer/answer.ts";
import { run as create } from "../task/create.ts";
import { run as update } from "../task/update.ts";
import { textOf } from "./text.ts";

/** Who acts, where nobody is named: the user of this system. */
export function personHere(): string {
  try {
    return userInfo().username;
  } catch {
    return "somebody";
  }
}

/** Does what a person wants as the command line does it; the log says first who wants it. */
export async function perform(call: Call, person: string, team: string, act: ActView): Promise<ActedView> {
  const lead = await actor(await openTeam(call, team), undefined);
  await lead.record({ kind: "acted", person, what: wordsFor(act) });
  const said = await done({ ...call, note: () => {} }, team, act);
  const isDone = (said.exit ?? exits.done) === exits.done;
  const words = said.remark ?? [...(said.text ?? [])].map((line) => textOf([line].flat() as Span[])).join("\n");
  return { isDone, words };
}

function done(call: Call, team: string, act: ActView): Promise<Answer> {
  switch (act.kind) {
    case "answer": {
      const options = act.note === "" ? {} : { note: act.note };
      return answer({ ...call, args: { team, request: act.request }, options }, act.of, act.decision);
    }
    case "send":
      // A text of one dash is one, and is not read from a pipe.
      return send({
        ...call,
        args: { team, to: act.to ?? undefined, text: act.text },
        options: {},
        read: async () => "-",
      });
    case "task": {
      const { id, subject, status, owner } = act;
      const owned = { ...(owner !== undefined && (owner === null ? { unassign: true } : { owner })) };
      if (id === null && subject !== undefined)
        return create({ ...call, args: { team, subject }, options: owner ? { owner } : {} });
      if (id === null) throw new TroupeError("arguments_invalid", "a new task needs a subject");
      const options = { ...(subject !== undefined && { subject }), ...(status && { status }), ...owned };
      return update({ ...call, args: { team, id }, options });
    }
  }
}

function wordsFor(act: ActView): string {
  if (act.kind === "send") return `write to ${act.to ?? "all"}`;
  if (act.kind === "task") return act.id === null ? "create a task" : `change #${act.id}`;
  const did = act.of === "plan" ? { allowed: "approve", denied: "reject" } : { allowed: "allow", denied: "deny" };
  return `${did[act.decision]} ${act.request}`;
}
