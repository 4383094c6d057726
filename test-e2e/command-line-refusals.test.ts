import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { openTroupe, sample } from "./command-line.ts";

const { root, json, refusal } = openTroupe();

beforeAll(() => {
  cpSync(sample, root, { recursive: true });
  rmSync(join(root, "teams/session-b7f5edcc"), { recursive: true });
});

test.each<[number, string[], string]>([
  [1, ["team", "create", "parser-team"], "there is a team called parser-team"],
  [1, ["team", "create", "x", "--root", `${sample}/teams/parser-team/config.json`], "something else is at this path"],
  [2, ["team", "create", "../old"], '"../old" does not name a team: use a name of'],
  [1, ["team", "join", "parser-team", "reader"], "reader"],
  [2, ["team", "join", "parser-team", "a/b"], '"a/b" does not name an agent'],
  [3, ["team", "join", "parser-taem", "carol"], "did you mean parser-team? troupe team list shows"],
  [3, ["team", "leave", "parser-team", "carol"], "carol is not a member of parser-team"],
  [1, ["team", "leave", "parser-team", "team-lead"], "team-lead leads parser-team to its end"],
  [3, ["team", "show", "nothing-near"], "there is no team nothing-near under"],
  [3, ["team", "delete", "parser-taem", "--yes"], "did you mean parser-team?"],
  [1, ["team", "delete", "parser-team", "--yes"], "still has reader, writer, checker"],
])("a team is left as it is, and %d tells why: %j", (status, args, words) => {
  expect(refusal(status, args)).toContain(words);
});

test.each<[number, string[], string]>([
  [3, ["send", "parser-team", "carol", "x"], "there is no carol in parser-team: send to one of team-lead, reader"],
  [3, ["send", "parser-team", "reader", "x", "--as", "carol"], "carol is no member of parser-team"],
  [2, ["send", "parser-team", "reader", ""], "the message is empty"],
  [2, ["send", "parser-team", "reader", "-"], "the message is empty"],
  [3, ["inbox", "parser-team", "carol"], "there is no carol in parser-team: choose one of team-lead, reader"],
  [3, ["inbox", "none"], "there is no team none"],
  [3, ["log", "none"], "there is no team none"],
])("no message is sent or taken, and %d tells why: %j", (status, args, words) => {
  expect(refusal(status, args)).toContain(words);
});

test("nothing of all this has changed anything", () => {
  const { teams } = json("show", ["show"]);
  expect(teams).toEqual([json("show", ["show", sample]).teams[0]]);
});
