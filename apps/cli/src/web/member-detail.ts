import { basename } from "node:path";
import { leadOf } from "@troupe/protocol";
import type { Stored } from "@troupe/runtime";
import { eventIn } from "@troupe/team";
import type { AgentView, ItemView, MemberDetail } from "@troupe/web";
import { shownTold } from "../mail/message.ts";
import { aboutCall } from "../screen/call-lines.ts";
import { emptyTalk, hear, type Item } from "../screen/talk.ts";
import { agentsBelow, transcriptsOf } from "../session/usage.ts";
import { toldRecord } from "../watch/recorded.ts";
import type { LookedAt } from "./look.ts";
import { recordOf } from "./member-view.ts";
import { diffIn } from "./request-view.ts";
import { summaryView } from "./team-view.ts";
import { textOf } from "./text.ts";

/** So many of the last items are shown, and so much of each. */
const mostItems = 60;
const mostText = 8_000;

/** One member from near; undefined of one that the team has never had. */
export function memberDetail(looked: LookedAt, root: string, name: string, now: Date): MemberDetail | undefined {
  const { view, started } = looked;
  const member = summaryView(looked, root, now).members.find((one) => one.name === name) ?? null;
  const gone = member ? null : goneIn(looked, name);
  if (!member && !gone) return undefined;
  const entry = view.config?.members.find((one) => one.name === name);
  const { record, isRunning } = (entry && recordOf(started, entry)) ?? {};
  const lead = view.config && leadOf(view.config)?.name;
  const { createdAt = 0, leadSessionId } = view.config ?? {};
  const own = [...transcriptsOf(root, { team: view.team, createdAt, leadSessionId, lead })];
  const last = own.findLast((one) => one.name === name);
  const items = itemsOf(last?.entries ?? []);
  return {
    member,
    gone,
    worktree: /\/\.claude\/worktrees\/[^/]+/.test(entry?.cwd ?? "") ? (entry?.cwd ?? null) : null,
    process: record?.process ? { pid: record.process.pid, isRunning: isRunning === true } : null,
    session: last ? basename(last.path, ".jsonl") : null,
    items: items.slice(-mostItems),
    earlier: Math.max(0, items.length - mostItems),
    agents: last ? agentTree(last.entries, agentsBelow(last.path)) : [],
  };
}

/** The last that was heard of a member that is in the team no more. */
function goneIn({ events }: LookedAt, name: string): MemberDetail["gone"] {
  const last = events.findLast((one) => {
    const event = eventIn(one);
    return one.by === name || ((event?.kind === "died" || event?.kind === "stopped") && event.name === name);
  });
  if (!last) return null;
  const { line } = toldRecord(last);
  return { at: last.at, line: line ? textOf(line).trim() : "" };
}

const itemsOf = (entries: readonly Stored[]): readonly ItemView[] =>
  entries.reduce((talk, entry) => hear(talk, { kind: "entry", entry }), emptyTalk).items.flatMap(itemView);

function itemView(item: Item): readonly ItemView[] {
  const common = { who: "", about: "", text: "", diff: null, isError: false };
  const cut = (text: string) => (text.length > mostText ? `${text.slice(0, mostText)}\n…` : text);
  if (item.kind === "whole") return [];
  if (item.kind === "mail") {
    const { kind, line, text } = shownTold(item.text);
    const told = kind === "text" ? { text: cut(item.text) } : { about: line, text: cut(text) };
    return [{ ...common, kind: "mail", who: item.from, ...told }];
  }
  if (item.kind !== "call") {
    const who = "from" in item ? (item.from ?? "") : "";
    return [{ ...common, kind: item.kind, who, text: cut(item.text), isError: item.kind === "fault" }];
  }
  const { name, input, result } = item.call;
  const isError = result?.isError ?? false;
  const diff = isError ? null : diffIn(name, input);
  return [
    { ...common, kind: "call", who: name, about: aboutCall(item.call), text: cut(result?.text ?? ""), diff, isError },
  ];
}

/** An agent stands below the one that made the call which started it. */
function agentTree(main: readonly Stored[], agents: ReturnType<typeof agentsBelow>): readonly AgentView[] {
  const madeBy = new Map<string, string>();
  for (const { path, entries } of [{ path: "", entries: main }, ...agents])
    for (const entry of entries)
      if (entry.kind === "answered")
        for (const { type, id } of entry.answer.content) if (type === "tool_use") madeBy.set(String(id), path);
  const parentOf = ({ toolUseId }: (typeof agents)[number]) => madeBy.get(toolUseId ?? "") ?? "";
  const below = (parent: string): readonly AgentView[] =>
    agents
      .filter((one) => parentOf(one) === parent && one.path !== parent)
      .map(({ path, description, entries }) => ({
        id: basename(path, ".jsonl").replace(/^agent-/, ""),
        description,
        isRunning: entries.at(-1)?.kind !== "ended",
        children: below(path),
      }));
  return below("");
}
