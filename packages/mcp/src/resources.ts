import { type McpServer, ResourceTemplate } from "@modelcontextprotocol/server";
import { isUnread, TroupeError } from "@troupe/protocol";
import type { TeamChange } from "@troupe/protocol/rules";
import type { Room } from "./room.ts";
import { shownTask, shownTasks } from "./tools/task.ts";
import { teamStatus } from "./tools/team-status.ts";

/** The address of a part of the team. */
export const addressOf = (team: string, ...parts: readonly string[]): string =>
  ["troupe://team", team, ...parts].map((part, at) => (at === 0 ? part : encodeURIComponent(part))).join("/");

type Read = (uri: URL, variables: Readonly<Record<string, string | readonly string[]>>) => Promise<object>;

/** What a client can look at and be told of when it changes. */
export function offerResources(server: McpServer, room: Room): void {
  const { team, self } = room;
  const json =
    (read: Read) =>
    async (uri: URL, variables: Parameters<Read>[1] = {}) => ({
      contents: [{ uri: uri.href, mimeType: "application/json", text: JSON.stringify(await read(uri, variables)) }],
    });
  const fixed = (name: string, uri: string, description: string, read: Read) =>
    server.registerResource(name, uri, { description, mimeType: "application/json" }, (at) => json(read)(at));

  fixed("team", addressOf(team.name), "The team: its members, and what each does.", async () => {
    const { value } = await teamStatus.run({}, room, new AbortController().signal);
    return value;
  });
  fixed("tasks", addressOf(team.name, "tasks"), "All tasks.", async () => ({ tasks: await shownTasks(team.tasks) }));
  fixed("log", addressOf(team.name, "log"), "What the members recorded, oldest first.", async () => {
    const events: object[] = [];
    for await (const one of team.history()) events.push(one);
    return { events };
  });
  server.registerResource(
    "task",
    new ResourceTemplate(`${addressOf(team.name, "task")}/{id}`, { list: undefined }),
    { description: "One task.", mimeType: "application/json" },
    json(async (_, { id }) => shownTask(team.tasks, String(id))),
  );
  server.registerResource(
    "inbox",
    new ResourceTemplate(`${addressOf(team.name, "inbox")}/{name}`, { list: undefined }),
    { description: "The messages of a member; a member sees its own.", mimeType: "application/json" },
    json(async (_, { name }) => mailOf(room, decodeURIComponent(String(name)))),
  );
  if (self !== undefined)
    fixed("own inbox", addressOf(team.name, "inbox", self), "Your messages.", () => mailOf(room, self));
}

async function mailOf({ team, self }: Room, name: string): Promise<object> {
  if (self !== undefined && name !== self)
    throw new TroupeError("member_unknown", `you are ${self}, and see only your own mail`, { name });
  const { value = [] } = await team.mail(name).page();
  return {
    messages: value.map(({ key, entry }) => ({
      key,
      from: entry.from,
      at: entry.timestamp,
      text: entry.text,
      isUnread: isUnread(entry),
      ...(entry.summary && { summary: entry.summary }),
    })),
  };
}

/** The resources that are another after a change. */
export function changedBy({ team }: Pick<Room, "team">, change: TeamChange): readonly string[] {
  switch (change.kind) {
    case "task":
      return [addressOf(team.name, "tasks"), addressOf(team.name, "task", change.id), addressOf(team.name)];
    case "inbox":
      return [addressOf(team.name, "inbox", change.name)];
    default:
      return [addressOf(team.name)];
  }
}
