import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { openTroupe, sample } from "./command-line.ts";

const { root, json, told, refusal } = openTroupe();

beforeAll(() => {
  cpSync(sample, root, { recursive: true });
  rmSync(join(root, "teams/session-b7f5edcc"), { recursive: true });
});

test.each<[number, string[], string]>([
  [2, ["update", "parser-team", "4"], "there is nothing to change"],
  [
    2,
    ["update", "parser-team", "4", "--unassign", "--owner", "reader"],
    "--unassign and --owner contradict each other",
  ],
  [2, ["update", "parser-team", "4", "--metadata", "[1]"], "--metadata needs a JSON object"],
  [2, ["create", "parser-team", ""], "the subject is empty"],
  [2, ["update", "parser-team", "4", "--subject", " "], "the subject is empty"],
  [2, ["create", "parser-team", "x", "--metadata", "{"], "--metadata needs a JSON object"],
  [1, ["update", "parser-team", "4", "--blocks", "3"], "wait for each other for ever"],
  [1, ["update", "parser-team", "4", "--status", "in_progress"], "task 4 waits for 3"],
  [3, ["update", "parser-team", "9", "--subject", "x"], "there is no task 9"],
  [3, ["create", "parser-team", "x", "--blocked-by", "9"], "there is no task 9"],
  [1, ["create", "parser-team", "x", "--blocks", "3", "--blocked-by", "4"], "wait for each other for ever"],
  [3, ["create", "parser-team", "x", "--owner", "carol"], '"carol" is no member'],
  [3, ["show", "parser-team", "9"], "there is no task 9: troupe task list parser-team"],
  [3, ["show", "parser-team", "../1"], "there is no task"],
  [3, ["claim", "parser-team", "4", "--as", "carol"], '"carol" is no member'],
  [3, ["claim", "parser-team", "9"], "there is no task 9"],
  [3, ["complete", "parser-team", "9"], "there is no task 9"],
  [3, ["release", "parser-team", "9"], "there is no task 9: troupe task list parser-team"],
  [1, ["release", "parser-team", "1"], "#1 is done"],
  [1, ["release", "parser-team", "3", "--as", "reader"], "#3 is owned by writer: leave out --as"],
  [1, ["release", "parser-team", "4"], "#4 has no owner"],
  [3, ["delete", "parser-team", "9", "--yes"], "there is no task 9"],
  [2, ["delete", "parser-team", "4"], "Delete #4 Fuzz the parser? This is not a terminal: use --yes"],
  [3, ["graph", "none"], "there is no team none"],
])("a task is left as it is, and %d tells why: %j", (status, args, words) => {
  expect(refusal(status, ["task", ...args])).toContain(words);
});

test("nothing of all this has changed anything", () => {
  const { teams } = json("show", ["show"]);
  expect(teams).toEqual([json("show", ["show", sample]).teams[0]]);
  const next = Math.max(...teams[0].tasks.map(({ id }: { id: string }) => Number(id))) + 1;
  expect(told("task", "create", "parser-team", "Read the grammar")).toContain(`created #${next} `);
});
