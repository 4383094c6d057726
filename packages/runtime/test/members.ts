import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { layoutOf } from "@troupe/protocol";
import { openFileStore } from "@troupe/store";
import { onTestFinished } from "vitest";
import { type Agent, openAgent } from "../src/agent.ts";
import { conversationOf } from "../src/journal/state.ts";
import type { Judge, Tool } from "../src/loop/tool.ts";
import type { Block } from "../src/model/model.ts";
import { type Script, scriptedModel } from "../src/model/scripted.ts";
import { type Ask, askNobody, type Question } from "../src/permissions/ask.ts";
import type { Permissions, PermissionsDeps } from "../src/permissions/permissions.ts";
import { createQueue } from "../src/queue.ts";
import { type Membership, type MembershipDeps, openMembership } from "../src/team/membership.ts";
import { enterPlanModeTool } from "../src/tools/enter-plan-mode.ts";
import { exitPlanModeTool } from "../src/tools/exit-plan-mode.ts";
import { createPlanMode, planFileOf } from "../src/tools/plan-mode.ts";
import { createSeenFiles } from "../src/tools/seen-files.ts";
import { sendMessageTool } from "../src/tools/send-message.ts";
import { writeTool } from "../src/tools/write.ts";
import { toolUse, words } from "./entries.ts";
import { permitted } from "./permitted.ts";
import { prefix } from "./rehearsal.ts";
import { attended, type Crew, heardBy } from "./team.ts";

export interface Member {
  readonly agent: Agent;
  readonly membership: Membership;
  readonly permissions: Permissions;
  readonly plan: { readonly path: string };
  /** What a person was asked. */
  readonly asked: readonly Question[];
  readonly shown: readonly string[];
  /** What the model was told, message by message, answers and results too. */
  heard(): readonly string[];
  /** One turn over what waits; a teammate is attended instead. */
  turn(): Promise<void>;
  /** Lets go of everything, as the end of a process does. */
  die(): Promise<void>;
}

export type MemberDeps = Partial<Pick<MembershipDeps, "team" | "plans" | "endBackend" | "runIdOf">> &
  Partial<Pick<PermissionsDeps, "mode" | "isBypassAvailable">> & {
    readonly ask?: Ask;
    readonly tools?: readonly Tool[];
  };

/** A member of the crew with hands: it writes files, plans and messages. The transcript outlives it. */
export async function member(crew: Crew, name: string, script: Script, deps: MemberDeps = {}): Promise<Member> {
  const { root } = crew;
  const { team = crew.team, mode = "default", isBypassAvailable = false, ask = askNobody, tools = [], ...more } = deps;
  const revision = team.form === "2026-11" ? "2026-11" : "2026-02";
  const transcript = join(root, `${name}.jsonl`);
  const queue = createQueue({ newId: randomUUID });
  const plan = planFileOf(name, { root, store: openFileStore({ root }) });
  const ending = new AbortController();
  const asked: Question[] = [];
  const shown: string[] = [];
  const askPerson: Ask = (question, signal) => {
    asked.push(question);
    return ask(question, signal);
  };
  const self = await team.as(name);
  const membership = openMembership({
    ...{ team, self, lead: "team-lead", transcript, queue, plan, ask: askPerson, ...more },
    permissions: () => permissions,
    now: () => new Date(),
    newId: randomUUID,
    show: (message) => void shown.push(message),
    signal: ending.signal,
  });
  const permissions = permitted(root, root, {
    ...{ mode: membership.granted ?? mode, isBypassAvailable, ask: askPerson },
    plans: layoutOf(root).plans,
  });
  const planMode = createPlanMode(permissions);
  const { submitPlan } = membership;
  const approver = submitPlan
    ? ({ kind: "lead", submit: submitPlan } as const)
    : ({ kind: "person", ask: askPerson } as const);
  const judge: Judge = {
    before: (call, signal) => permissions.permit(call, {}, signal),
    after: async (_, outcome) => outcome,
  };
  const agent = openAgent({
    ...{ transcript, queue, judge, inputs: membership.mailbox.inputs, key: prefix.key },
    system: () => [words("You are thorough.")],
    model: scriptedModel(script),
    tools: [
      ...tools,
      sendMessageTool({ revision, toAgent: async () => undefined, toTeam: membership.route }),
      writeTool({ cwd: root, home: root, seen: createSeenFiles(), newId: randomUUID }),
      enterPlanModeTool({ planMode, plan }),
      exitPlanModeTool({ revision, planMode, permissions, plan, approver, newId: randomUUID }),
    ],
  });
  let end: Promise<void> | undefined;
  const die = () => {
    ending.abort();
    end ??= membership.mailbox.close().then(() => agent.close());
    return end;
  };
  onTestFinished(die);
  return {
    ...{ agent, membership, permissions, plan, asked, shown, die },
    heard: () => heardBy(agent).map((text, at) => text || JSON.stringify(conversationOf(agent.journal.state())[at])),
    async turn() {
      await membership.mailbox.collect();
      for await (const _ of agent.run());
    },
  };
}

/** The teammate works until it ends or the test does. */
export const atWork = (crew: Crew, name: string, { agent, membership }: Member) => {
  const { mailbox, takePeerSummary, isLeaving } = membership;
  return attended(crew, name, { agent, mailbox } as Parameters<typeof attended>[2], {
    takePeerSummary,
    ...(isLeaving && { isLeaving }),
  });
};

/** A call of SendMessage in the form of `to`. */
export const send = (id: string, to: string, message: string | object): Block =>
  toolUse(id, "SendMessage", typeof message === "string" ? { to, message, summary: message } : { to, message });

/** Entries of an inbox, each with its structured body, if it is one. */
export function inboxIn(crew: Crew, name: string): readonly Record<string, unknown>[] {
  const entries = JSON.parse(readFileSync(crew.inboxOf(name), "utf8")) as Record<string, unknown>[];
  return entries.map((entry) =>
    String(entry["text"]).startsWith("{") ? { ...entry, body: JSON.parse(String(entry["text"])) } : entry,
  );
}
