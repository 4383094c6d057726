import { type McpServer, ResourceNotFoundError, ResourceTemplate } from "@modelcontextprotocol/server";
import { isTroupeError, isUnread, TroupeError } from "@troupe/protocol";
import type { TeamChange } from "@troupe/protocol/rules";
import type { Room } from "./room.ts";
import { shownTask, shownTasks } from "./tools/task.ts";
import { teamStatus } from "./tools/team-status.ts";

/** The address of a part of the team. */
export const addressOf = (team: string, ...parts: readonly string[]): string =>
  ["troupe://team", team, ...parts].map((part, at) => (at === 0 ? part : encodeURIComponent(part))).join("/");

type Read = (variables: Readonly<Record<string, string | readonly string[]>>) => Promise<object>;

/** How many events one look at the log gives. */
const mostEvents = 200;

/** What a client can look at and be told of when it changes. */
export function offerResources(server: McpServer, room: Room): void {
  const { team, self } = room;
  const json =
    (read: Read) =>
    async (uri: URL, variables: Parameters<Read>[0] = {}) => {
      const value = await read(variables).catch((error: unknown) => {
        throw isTroupeError(error) ? new ResourceNotFoundError(uri.href, `${error.code}: ${error.message}`) : error;
      });
      return { contents: [{ uri: uri.href, mimeType: "application/json", text: JSON.stringify(value) }] };
    };
  const fixed = (name: string, uri: string, description: string, read: Read) =>
    server.registerResource(name, uri, { description, mimeType: "application/json" }, (at) => json(read)(at));

  fixed("team", addressOf(team.name), "The team: its members, and what each does.", async () => {
    const { value } = await teamStatus.run({}, room, new AbortController().signal);
    return value;
  });
  fixed("tasks", addressOf(team.name, "tasks"), "All tasks.", async () => ({ tasks: await shownTasks(team.tasks) }));
  const newest = `The last ${mostEvents} events that members recorded, oldest first.`;
  fixed("log", addressOf(team.name, "log"), newest, async () => {
    const events: object[] = [];
    for await (const one of team.history()) {
      events.push(one);
      if (events.length > mostEvents) events.shift();
    }
    return { events };
  });
  server.registerResource(
    "log after an event",
    new ResourceTemplate(`${addressOf(team.name, "log", "after")}/{id}`, { list: undefined }),
    { description: `The first ${mostEvents} events behind the one of this id.`, mimeType: "application/json" },
    json(async ({ id }) => {
      const events: object[] = [];
      for await (const one of team.history(String(id))) if (events.push(one) === mostEvents) break;
      return { events };
    }),
  );
  server.registerResource(
    "task",
    new ResourceTemplate(`${addressOf(team.name, "task")}/{id}`, { list: undefined }),
    { description: "One task.", mimeType: "application/json" },
    json(async ({ id }) => shownTask(team.tasks, String(id))),
  );
  server.registerResource(
    "inbox",
    new ResourceTemplate(`${addressOf(team.name, "inbox")}/{name}`, { list: undefined }),
    { description: "The messages of a member; a member sees its own.", mimeType: "application/json" },
    json(async ({ name }) => mailOf(room, decodeURIComponent(String(name)))),
  );
  if (self !== undefined)
    fixed("own inbox", addressOf(team.name, "inbox", self), "Your messages.", () => mailOf(room, self));
}

async function mailOf({ team, self }: Room, name: string): Promise<object> {
  if (self !== undefined && name !== self)
    throw new TroupeError(
      "member_unknown",
      `you are ${self}, and see only your own mail: read ${addressOf(team.name, "inbox", self)}`,
      { name },
    );
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

/** The resources of a client that are another after a change. */
export function changedBy({ team, self }: Pick<Room, "team" | "self">, change: TeamChange): readonly string[] {
  switch (change.kind) {
    case "task":
      return [addressOf(team.name, "tasks"), addressOf(team.name, "task", change.id), addressOf(team.name)];
    case "inbox":
      return self === undefined || change.name === self ? [addressOf(team.name, "inbox", change.name)] : [];
    default:
      return [addressOf(team.name)];
  }
}
