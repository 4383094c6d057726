import { openBlockersOf } from "@troupe/protocol";
import type { SessionEvent } from "@troupe/runtime";
import type { RecordedEvent } from "@troupe/store";
import { type CallQuestion, eventIn, type Reply, type TeamEvent } from "@troupe/team";
import type { Call } from "../command.ts";
import { openTeam, type StorePlace } from "../open.ts";
import type { Span } from "../paint.ts";
import { memberSpan, statusSpan } from "../team/overview-text.ts";
import { toldRecord } from "../watch/recorded.ts";
import { commandOf } from "./person.ts";

const colors: Readonly<Record<string, string>> = { ann: "blue", bob: "green", cleo: "yellow", lead: "bold" };

/** Other lines say what the other tools do. */
const shownTools: Readonly<Record<string, string>> = { Write: "writes a file", Edit: "edits a file" };

/** Tells what happens, one line after the other, each with its time since the beginning. */
export function createStory(call: StorePlace & Pick<Call, "tell">) {
  const { now, tell } = call;
  const begun = now().getTime();
  let telling: Promise<unknown> = Promise.resolve();
  /** What each task waited for at the last look. */
  let waited = new Map<string, readonly string[]>();

  /** Lines come in the order in which they were said. */
  function queue(next: () => Promise<unknown>): void {
    telling = telling.then(next);
  }

  function print(document: Document, who: string, ...words: readonly Span[]): Promise<unknown> {
    const seconds = ((now().getTime() - begun) / 1_000).toFixed(1).padStart(5);
    const line = [{ text: `${seconds} s  `, style: "dim" } as const, memberSpan(who.padEnd(6), colors[who]), ...words];
    return tell({ document: { at: now().toISOString(), ...document }, text: [line] });
  }

  /** A task as the list has it now, and those that wait for nothing any more. */
  async function tellTask({ id, status, owner }: Of<"task">, by: string, document: Document) {
    const { tasks } = await (await openTeam(call, "demo")).tasks.list();
    const subject = tasks.find((task) => task.id === id)?.subject ?? "";
    await print(document, by, `#${id} `, statusSpan(status), `  ${subject}${owner ? `  (${owner})` : ""}`);
    const blockers = openBlockersOf(tasks);
    for (const [next, before] of waited) {
      if ((blockers.get(next)?.length ?? 0) > 0) continue;
      const done = before.map((one) => `#${one}`).join(" and ");
      const words = [`#${next} is free: ${done} was the last it waited for`];
      await print({ event: "unblocked", id: next }, "", ...words);
    }
    waited = new Map([...blockers].filter(([, open]) => open.length > 0));
  }

  /** What the lead's model does, where the files of the team do not say it. */
  function tellCall(name: string, input: Readonly<Record<string, unknown>>): void {
    const { message, to, description, subagent_type, name: teammate } = input;
    const { type, approve, feedback } = (message ?? {}) as Readonly<Record<string, unknown>>;
    if (type === "plan_approval_response") {
      const words = approve ? `approves ${to}'s plan` : `sends ${to}'s plan back: ${feedback}`;
      queue(() => print({ event: "plan_judged", member: to, approve }, "lead", words));
    }
    if (name !== "Agent" || teammate !== undefined) return;
    const of = subagent_type === undefined ? "a fork" : "an agent";
    queue(() => print({ event: "agent_started", of, description }, "lead", `starts ${of}: ${description}`));
  }

  return {
    say: (document: Document, who: string, ...words: readonly Span[]) => queue(() => print(document, who, ...words)),

    recorded(recorded: RecordedEvent): void {
      const event = eventIn(recorded);
      const { document, line } = toldRecord(recorded);
      const by = nameOf(recorded.by);
      if (event?.kind === "task") queue(() => tellTask(event, by, document).catch(() => {}));
      if (event?.kind === "tool" && event.phase === "began" && by !== "lead") {
        const words = Object.hasOwn(shownTools, event.tool) ? shownTools[event.tool] : undefined;
        if (words !== undefined) queue(() => print(document, by, words));
      }
      const isShown = event && shownKinds.has(event.kind) && line;
      if (isShown) queue(() => print(document, by, ...line.slice(1).map((span) => (span as string).trimStart())));
    },

    /** An entry of the lead's own conversation, or the end of an agent that it started. */
    entry({ agent, ...event }: SessionEvent): void {
      if (event.kind !== "entry") return;
      const { entry } = event;
      if (!agent && entry.kind === "answered")
        for (const { type, name, input } of entry.answer.content)
          if (type === "tool_use") tellCall(String(name), (input ?? {}) as Readonly<Record<string, unknown>>);
      if (!agent || entry.kind !== "ended") return;
      const { description } = agent;
      const words = `${description}: ${entry.terminal.text}`;
      queue(() => print({ event: "agent_ended", description, text: entry.terminal.text }, "", words));
    },

    answered({ tool, input, from }: CallQuestion, reply: Reply): void {
      const { name } = from ?? { name: "lead" };
      const command = commandOf(input);
      const { behavior } = reply;
      const verdict: Span =
        behavior === "allow"
          ? { text: "the person allows it", style: "green" }
          : { text: `the person refuses: ${reply.message}`, style: "red" };
      const document = { event: "answered", member: name, tool, command, behavior };
      queue(() =>
        print(document, nameOf(name), `asks: may ${tool} run `, { text: command, style: "cyan" }, `? `, verdict),
      );
    },

    /** Resolves when all of it was told. */
    told: () => telling,
  };
}

/** A line for programs, but for its time. */
type Document = { readonly event: string; readonly [field: string]: unknown };
type Of<Kind extends TeamEvent["kind"]> = Extract<TeamEvent, { readonly kind: Kind }>;

const shownKinds: ReadonlySet<string> = new Set(["spawned", "plan", "shutdown", "died", "stopped"]);

const nameOf = (name: string): string => (name === "team-lead" ? "lead" : name);
