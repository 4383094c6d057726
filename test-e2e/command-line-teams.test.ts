import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openTroupe, sample } from "./command-line.ts";

const { home, root, troupe, told, json, refusal } = openTroupe();
const configOf = (team: string) => JSON.parse(readFileSync(join(root, "teams", team, "config.json"), "utf8"));

test("a team is made in the revision that is asked for, joined, left, and seen", () => {
  expect(json("team-create", ["team", "create", "old", "--description", "Read it"])).toMatchObject({ form: "2026-02" });
  const session = "b7f5edcc-898c-4e36-983f-1c2e8fec7d28";
  const given = ["--revision", "2026-11", "--lead", "boss", "--session", session, "--cwd", "src"];
  expect(json("team-create", ["team", "create", "new", ...given])).toEqual({
    name: "new",
    form: "2026-11",
    leadSessionId: session,
  });
  expect(configOf("old")).toMatchObject({ name: "old", description: "Read it" });
  expect(configOf("new").members).toMatchObject([{ name: "boss", cwd: join(home, "src"), tmuxPaneId: "leader" }]);

  const joined = ["--type", "Explore", "--model", "sonnet", "--prompt", "-"];
  json("team-join", ["team", "join", "old", "alice", ...joined], { input: "Read the parser.\n" });
  expect(told("team", "join", "old", "bob")).toBe("bob joined old\n");
  expect(configOf("old").members[1]).toMatchObject({
    name: "alice",
    agentType: "Explore",
    model: "sonnet",
    prompt: "Read the parser.\n",
    cwd: home,
  });

  expect(json("team-show", ["team", "show", "old"]).members.map(({ name }: { name: string }) => name)).toEqual([
    "team-lead",
    "alice",
    "bob",
  ]);
  const left = json("team-leave", ["team", "leave", "old", "bob"]);
  expect(left).toEqual({ team: "old", name: "bob", unfinished: [] });
  expect(told("team", "show", "old")).not.toContain("bob");
  expect(json("team-list", ["team", "list"]).teams).toMatchObject([
    { name: "new", form: "2026-11", members: 1 },
    { name: "old", form: "2026-02", members: 2, tasks: { pending: 0 } },
  ]);
});

test("the sample is listed and shown, in words and as a document", () => {
  expect(
    told("team", "list", "--root", sample)
      .replaceAll(/ +/g, " ")
      .replaceAll(/ (live|ended), changed \d+ [smhd] ago/g, ""),
  ).toBe(
    " parser-team revision 2026-02 4 members 2 of 5 tasks done 3 unread\n session-b7f5edcc revision 2026-11 2 members 1 of 2 tasks done 1 unread\n",
  );
  const { teams } = json("show", ["show", sample]);
  expect(teams[0]).toMatchObject({
    name: "parser-team",
    members: [{ isLead: true }, { name: "reader", pane: "%14", isActive: false }, { isActive: true }, {}],
    mail: expect.arrayContaining([{ agent: "writer", unread: 1 }]),
    problems: [],
  });
  expect(teams[0].tasks[3]).toMatchObject({ id: "4", blockedBy: ["3"], openBlockers: ["3"] });
  expect(teams[1].problems).toMatchObject([{ path: "/0/timestamp", code: "field_missing" }]);
});

test("a team is deleted only if somebody said yes, and not while it has teammates unless that is said as well", () => {
  expect(refusal(2, ["team", "delete", "old"], { input: "y\n" })).toBe(
    "Delete the team old with its messages and its tasks? This is not a terminal: use --yes",
  );
  expect(refusal(1, ["team", "delete", "old", "--yes"])).toContain("old still has alice");
  expect(configOf("old").name).toBe("old");
  expect(json("team-delete", ["team", "delete", "old", "-y", "--force"])).toEqual({ name: "old" });
  expect(existsSync(join(root, "teams/old"))).toBe(false);
  expect(told("team", "delete", "new", "--yes")).toBe("deleted the team new\n");
});

test("where no team is, the list is empty, and the next step is named", () => {
  expect(json("team-list", ["team", "list"]).teams).toEqual([]);
  expect(troupe(["team", "list"])).toEqual({
    status: 0,
    stdout: "",
    stderr: `note: no teams under ${root}; troupe team create creates one\n`,
  });
  rmSync(join(root, "teams"), { recursive: true });
  expect(refusal(3, ["team", "list", "--root", join(home, "nowhere")])).toContain("there is no directory");
});

test("a team whose config is damaged is shown as far as it can be read, and not written to", () => {
  told("team", "create", "torn");
  writeFileSync(join(root, "teams/torn/config.json"), '{"name":"torn"');
  expect(told("team", "show", "torn")).toContain("teams/torn/config.json: the text stops in the middle");
  expect(json("team-show", ["team", "show", "torn"])).toMatchObject({ form: null, members: [] });
  expect(refusal(5, ["team", "join", "torn", "alice"])).toContain(
    "cannot be read and is left as it is: the text stops in the middle",
  );
});

test("team compact removes read messages from all inboxes, says how many, and refuses while the team has teammates", () => {
  told("team", "create", "full");
  told("team", "join", "full", "ann");
  for (const text of ["one", "two"]) told("send", "full", "ann", text);
  told("inbox", "full", "ann", "--take");
  told("send", "full", "ann", "three");
  expect(refusal(2, ["team", "compact", "full"])).toContain("use --yes");
  expect(refusal(1, ["team", "compact", "full", "--yes"])).toContain("ann");
  expect(json("team-compact", ["team", "compact", "full", "--yes", "--force"])).toEqual({ team: "full", dropped: 2 });
  expect(json("inbox", ["inbox", "full", "ann", "--all"]).messages).toMatchObject([{ entry: { text: "three" } }]);
  expect(told("team", "compact", "full", "--yes", "--force")).toBe("removed 0 read messages\n");
});
