import { join } from "node:path";
import { openFileStore, thisProcess } from "@troupe/store/files";
import { expect, test } from "vitest";
import { expectSchema, openTroupe } from "./command-line.ts";

const { home, root, troupe, told, json, refusal } = openTroupe();

test("the team may be left out where there is one, and nothing is said of it", () => {
  expect(refusal(3, ["team", "show"])).toBe(`there is no team under ${root}: troupe team create creates one`);
  told("team", "create", "alpha");
  told("team", "join", "alpha", "ann");
  told("team", "join", "alpha", "anton");
  told("team", "join", "alpha", "bob");
  expect(told("task", "create", "Read it")).toBe("created #1 Read it\n");
  expect(told("send", "bob", "Begin.")).toBe("sent to bob from team-lead\n");
  expect(told("inbox", "bob")).toContain("Begin.");
  expect(told("task", "claim", "--as", "bob")).toBe("bob has #1 Read it\n");
  expect(told("task", "show", "1")).toContain("Read it");
  const shown = (...words: readonly string[]) => told("team", "show", ...words).replaceAll(/\d+ s\b/g, "N s");
  expect(shown()).toBe(shown("alpha"));
});

test("a unique beginning names a team or a member, one that fits several is refused with them, and an exact name wins", () => {
  expect(told("send", "al", "bo", "Go on.")).toBe("sent to bob from team-lead\n");
  expect(refusal(3, ["send", "an", "x"])).toBe("an begins the names of ann, anton in alpha: write more of it");
  expect(told("send", "ANN", "x", "--as", "ant")).toBe("sent to ann from anton\n");
  expect(refusal(3, ["inbox", "zoe"])).toContain("there is no team zoe under");
  expect(refusal(3, ["send", "alpha", "zoe", "x"])).toContain("there is no zoe in alpha: send to one of team-lead");
  told("team", "create", "alphabet");
  expect(told("team", "show", "alpha")).toContain("alpha  (revision");
  expect(told("show", "alphab")).toContain("alphabet  (revision");
  expect(refusal(3, ["show", "alp"])).toContain("alp begins the names of alpha, alphabet under");
  expect(refusal(3, ["team", "show", "alp"])).toBe(
    `alp begins the names of alpha, alphabet under ${root}: write more of it`,
  );
});

test("of several teams the newest live one is chosen and named, TROUPE_TEAM chooses another, and a word that is missing is not taken from a team's name", () => {
  const { status, stdout, stderr } = troupe(["team", "show"]);
  expect({ status, first: stdout.split("  ")[0] }).toEqual({ status: 0, first: "alphabet" });
  expect(stderr).toBe("note: the team is alphabet, the newest of 2 live ones; name another, or set TROUPE_TEAM\n");
  expectSchema("notice", JSON.parse(troupe(["team", "show", "--json"]).stderr));
  const env = { TROUPE_TEAM: "alpha" };
  expect(troupe(["task", "list"], { env })).toMatchObject({
    status: 0,
    stderr: "",
    stdout: expect.stringContaining("Read it"),
  });
  expect(refusal(3, ["task", "list"], { env: { TROUPE_TEAM: "alp" } })).toBe(
    `TROUPE_TEAM names "alp", and there is no such team under ${root}: unset it, or name one of alpha, alphabet`,
  );
  expect(refusal(2, ["task", "show", "alpha"])).toBe("task show needs <id>: troupe task show [team] <id>");
  expect(refusal(2, ["send", "alpha", "ann"])).toBe(
    "send needs <text>: troupe send [team] <to|--all> <text> [options]",
  );
});

test("what removes something never guesses a team, a member or a message", () => {
  for (const args of [
    ["team", "delete", "alphab", "--yes"],
    ["team", "compact", "alphab", "--yes"],
    ["team", "leave", "alphab", "ann"],
    ["task", "delete", "alphab", "1", "--yes"],
    ["inbox", "alphab", "--take"],
  ])
    expect(refusal(3, args), args.join(" ")).toContain("there is no team alphab under");
  expect(refusal(3, ["team", "leave", "alpha", "bo"])).toContain("bo is not a member of alpha");
  expect(refusal(3, ["inbox", "alpha", "bo", "--take"])).toContain("there is no bo in alpha");
  expect(refusal(2, ["inbox", "--take"])).toContain("--take is never done to a team that is only guessed");
  for (const args of [
    ["team", "delete"],
    ["team", "compact"],
    ["task", "delete", "1"],
  ])
    expect(refusal(2, args), args.join(" ")).toContain("needs <");
  expect(json("team-list", ["ls"]).teams).toMatchObject([{ name: "alpha", members: 4 }, { name: "alphabet" }]);
});

test("teams in which nobody is at work are named in one line while another is live, with how to see them", async () => {
  const store = openFileStore({ root });
  const draft = { leadModel: "m", cwd: "/", revision: "2026-11" } as const;
  const gone = await store.createTeam({ ...draft, name: "gone", leadSessionId: "g", createdAt: Date.now() });
  await gone.claim({ ...thisProcess(), pid: 2 ** 22 + 1, claimedAt: 1 });
  await store.createTeam({ ...draft, name: "old", leadSessionId: "o", createdAt: Date.parse("2026-02-01T00:00:00Z") });
  const lines = told("ls").trimEnd().split("\n");
  expect(lines.slice(0, 2).map((line) => line.trim().split("  ")[0])).toEqual(["alpha", "alphabet"]);
  expect(lines.at(-1)).toMatch(
    /^2 teams more, where nobody is at work: gone \(\d+ s\), old \(\d+ d\); troupe team list --all shows all$/,
  );
  expect(told("ls", "--all").trimEnd().split("\n")).toHaveLength(4);
  const shown = told("show");
  expect(shown).not.toMatch(/^gone {2}/m);
  expect(shown).toContain("troupe show --all shows all");
  expect(told("ps", "--all")).toMatch(/^gone {2}/m);
  const { teams } = json("show", ["show"]);
  expect(teams.map(({ name, isLive }: { name: string; isLive: boolean }) => [name, isLive])).toEqual([
    ["alpha", true],
    ["alphabet", true],
    ["gone", false],
    ["old", false],
  ]);
  expect(json("team-show", ["team", "show", "go"])).toMatchObject({ name: "gone" });
  for (const name of ["alpha", "alphabet"]) told("team", "delete", name, "--yes", "--force");
  expect(refusal(2, ["task", "list"])).toContain("none of the 2 teams under");
  expect(told("ls")).not.toContain("more, where nobody");
});

test("a member's state is shown with how long it lasts, and a document says since when", async () => {
  const now = new Date("2026-11-18T12:00:00Z");
  const store = openFileStore({ root: join(home, "aged"), now: () => now });
  const draft = { name: "t", createdAt: 1, leadSessionId: "s", leadModel: "m", cwd: "/" };
  const team = await store.createTeam(draft);
  for (const name of ["ann", "bob"])
    await team.join({ name, agentType: "worker", model: "m", prompt: "", joinedAt: 1, cwd: "/" });
  await (await team.as("ann")).record({ kind: "idle" });
  await (await team.as("bob")).record({ kind: "permission", id: "p", phase: "asked" });
  const days = Math.floor((Date.now() - now.getTime()) / 86_400_000);
  const shown = told("team", "show", "--root", join(home, "aged"));
  expect(shown).toMatch(days > 0 ? /ann .* idle \d+ d / : /ann .* idle \d+ [hm] /);
  expect(shown).toMatch(/bob .* needs input \d+ [dhm] /);
  expect(json("team-show", ["team", "show", "--root", join(home, "aged")]).members).toMatchObject([
    { since: null },
    { since: now.toISOString() },
    { needsInput: true },
  ]);
});
