import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Team } from "@troupe/store";
import { openFileStore } from "@troupe/store/files";
import { expect, test } from "vitest";
import { callBy } from "../../test/calls.ts";
import { scratch } from "../../test/scratch.ts";
import { mate } from "../../test/task-callers.ts";
import { teamCreateTool } from "./team-create.ts";
import { teamDeleteTool } from "./team-delete.ts";

const { signal } = new AbortController();

function session(root = scratch(), sessionId: string = crypto.randomUUID()) {
  const store = openFileStore({ root });
  let team: Team | undefined;
  const create = teamCreateTool({
    store,
    sessionId,
    model: "claude-opus-4-6",
    cwd: root,
    team: () => team,
    lead: (made) => {
      team = made;
    },
    now: () => new Date(1_770_535_107_409),
  });
  const letGo = () => {
    team = undefined;
  };
  const remove = teamDeleteTool({ store, team: () => team, endStrays: async () => {}, letGo });
  const call = async (tool: typeof create, input: object) => {
    const { content, isError = false } = await tool.run(input, callBy(undefined, { signal }));
    return { text: String(content[0]?.["text"]), isError };
  };
  return {
    root,
    sessionId,
    team: () => team as Team,
    joins: (joined: Team) => {
      team = joined;
    },
    create: (input: object) => call(create, input),
    remove: () => call(remove, {}),
  };
}

test("[TEAM-04] [TEAM-05] [INBOX-07] TeamCreate makes a team with its lead alone and says how it is, TeamDelete leaves nothing of it", async () => {
  const one = session();
  const { text, isError } = await one.create({ team_name: "parsers", description: "find out why" });
  expect(isError).toBe(false);
  const config = join(one.root, "teams/parsers/config.json");
  expect(JSON.parse(text)).toEqual(JSON.parse(readFileSync(config, "utf8")));
  expect(JSON.parse(text)).toMatchObject({
    name: "parsers",
    description: "find out why",
    createdAt: 1_770_535_107_409,
    leadSessionId: one.sessionId,
    members: [{ name: "team-lead", agentType: "team-lead", model: "claude-opus-4-6", cwd: one.root }],
  });
  expect(readdirSync(join(one.root, "tasks/parsers"))).toEqual([".lock"]);
  await one.team().join(mate("alice"));
  await (await one.team().as("team-lead")).send("alice", { text: "hello" });
  await one.team().tasks.create({ subject: "read", description: "all" });
  await one.team().leave("alice");
  expect(await one.remove()).toEqual({ text: "Removed the team parsers with its messages and tasks.", isError: false });
  expect([...readdirSync(join(one.root, "teams")), ...readdirSync(join(one.root, "tasks"))]).toEqual([]);
});

test("[ATP-LIF-008] TeamDelete is refused while there is a teammate, which is named, and nothing is removed", async () => {
  const one = session();
  await one.create({ team_name: "parsers" });
  await one.team().join(mate("alice"));
  const { text, isError } = await one.remove();
  expect([isError, text]).toEqual([true, "parsers still has alice: shut them down first"]);
  expect(existsSync(join(one.root, "teams/parsers/config.json"))).toBe(true);
  await one.team().leave("alice");
  expect((await one.remove()).isError).toBe(false);
});

test("[TEAM-23] a session has one team at a time, in this process or in another", async () => {
  const one = session();
  await one.create({ team_name: "parsers" });
  expect(await one.create({ team_name: "lexers" })).toMatchObject({ isError: true });
  const elsewhere = session(one.root, one.sessionId);
  const refusal = await elsewhere.create({ team_name: "lexers" });
  expect(refusal).toMatchObject({ isError: true, text: expect.stringContaining("leads parsers already") });
  expect(readdirSync(join(one.root, "teams"))).toEqual(["parsers"]);
  const teammate = session(one.root);
  teammate.joins(one.team());
  expect(await teammate.create({ team_name: "lexers" })).toMatchObject({ isError: true });
  expect(readdirSync(join(one.root, "teams"))).toEqual(["parsers"]);
  await one.remove();
  expect(await one.create({ team_name: "lexers" })).toMatchObject({ isError: false });
});

test("a name that is taken, a name that cannot be one and no team at all are answers that say so", async () => {
  const one = session();
  await one.create({ team_name: "parsers" });
  const other = session(one.root);
  const taken = await other.create({ team_name: "parsers" });
  expect(taken).toMatchObject({ isError: true, text: expect.stringContaining("choose another name") });
  expect(await other.create({ team_name: "../out" })).toMatchObject({ isError: true });
  expect(await other.remove()).toEqual({ text: "You lead no team.", isError: true });
});
