import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { layoutOf } from "@troupe/protocol";
import type { Team } from "@troupe/store";
import { openFileStore } from "@troupe/store/files";

/** As much as a team ever was: the sizes of the issue. */
export const size = { members: 100, tasks: 2_000, messages: 10_000 } as const;

const numbers = (count: number) => Array.from({ length: count }, (_, at) => at + 1);

/** A name with three digits, so that none is in another. */
export const nameOf = (number: number): string => `worker-${String(number).padStart(3, "0")}`;

/**
 * A team of that size: chains of ten tasks, a hundred messages a member. Members, tasks and mail
 * are written as files at once, since a join, a claim and a send each take a lock.
 */
export async function makeBigTeam(root: string, name = "big"): Promise<Team> {
  const store = openFileStore({ root });
  const at = { createdAt: Date.now(), cwd: root };
  const lead = { leadSessionId: `session-of-${name}`, leadModel: "claude-opus-4-6" };
  const team = await store.createTeam({ name, ...lead, ...at });
  const mate = { agentType: "worker", model: "sonnet", prompt: "", joinedAt: at.createdAt, cwd: root };
  const config = layoutOf(root).team(name).config;
  const { members, ...rest } = JSON.parse(readFileSync(config, "utf8"));
  const mates = numbers(size.members - 1).map((number) => ({
    agentId: `${nameOf(number)}@${name}`,
    name: nameOf(number),
    ...mate,
    tmuxPaneId: "",
    subscriptions: [],
  }));
  write(config, { ...rest, members: [...members, ...mates] });
  const files = layoutOf(root).team(name);
  for (const number of numbers(size.tasks)) {
    const [isFirst, isLast] = [number % 10 === 1, number % 10 === 0];
    const status = number <= 600 ? "completed" : isFirst ? "in_progress" : "pending";
    const task = {
      id: String(number),
      subject: `Task ${number} of many`,
      description: "",
      status,
      ...(status !== "pending" && { owner: nameOf(1 + (number % (size.members - 1))) }),
      blocks: isLast ? [] : [String(number + 1)],
      blockedBy: isFirst ? [] : [String(number - 1)],
    };
    write(files.task(String(number)), task);
  }
  const each = size.messages / size.members;
  for (const number of numbers(size.members)) {
    const to = number === size.members ? "team-lead" : nameOf(number);
    // The conversation of the first two is as long as one ever was.
    const from = number === 2 ? nameOf(1) : nameOf(1 + (number % (size.members - 1)));
    const messages = numbers(number === 2 ? 10 * each : each).map((count) => ({
      from,
      text: `message ${count} to ${to}`,
      timestamp: new Date(at.createdAt + count).toISOString(),
      read: count > 3,
    }));
    write(files.inbox(to), messages);
  }
  for (const number of numbers(size.members - 1)) {
    const member = await team.as(nameOf(number));
    await member.record({ kind: "ready" });
    await member.record({ kind: "turn", phase: "began" });
    if (number % 3 === 0) await member.record({ kind: "idle" });
  }
  return team;
}

function write(path: string, document: object): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify(document, null, 2));
}
