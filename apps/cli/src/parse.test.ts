import { expect, test } from "vitest";
import type { Command } from "./command.ts";
import { commands } from "./commands.ts";
import { parse } from "./parse.ts";

const asked = (...line: string[]) => parse(line, commands);

test.each<[string[], string]>([
  [["shwo"], 'there is no command "shwo"; did you mean show? (troupe help lists all)'],
  [["compl"], 'there is no command "compl"; did you mean completion? (troupe help lists all)'],
  [["claim", "t"], 'there is no command "claim"; did you mean task claim? (troupe help lists all)'],
  [["create"], 'there is no command "create"; did you mean team create or task create? (troupe help lists all)'],
  [["xyzzy"], 'there is no command "xyzzy" (troupe help lists all)'],
  [["constructor"], 'there is no command "constructor" (troupe help lists all)'],
  [["help", "shwo"], 'there is no command "shwo"; did you mean show? (troupe help lists all)'],
  [["shwo", "--help"], 'there is no command "shwo"; did you mean show? (troupe help lists all)'],
  [["team"], "team needs a command: list, show, create, join, leave, compact, delete (troupe team --help)"],
  [["task", "lsit"], "there is no task lsit; did you mean list? (troupe task --help)"],
  [["task", "xyzzy"], "there is no task xyzzy (troupe task --help)"],
  [["task", "show"], "task show needs <id>: troupe task show [team] <id>"],
  [
    ["task", "delete", "3"],
    "task delete needs <id> behind the whole name of its team, which is not guessed here: troupe task delete <team> <id> [options]",
  ],
  [["task", "done"], "there is no task done; did you mean complete? (troupe task --help)"],
  [["team", "rm"], "there is no team rm; did you mean delete? (troupe team --help)"],
  [["msg"], 'there is no command "msg"; did you mean send? (troupe help lists all)'],
  [["team", "list", "more"], '"more" is one argument too many: troupe team list [options]'],
  [
    ["send", "t", "a", "x", "--sumary", "s"],
    "send has no option --sumary; did you mean --summary? (troupe send --help)",
  ],
  [["team", "list", "--yes"], "team list has no option --yes (troupe team list --help)"],
  [["team", "list", "--toString"], "team list has no option --toString (troupe team list --help)"],
  [["team", "list", "-x"], "team list has no option -x (troupe team list --help)"],
  [["inbox", "t", "--all=1"], "--all takes no value: leave out =1"],
  [["send", "t", "a", "x", "--as"], "--as needs a value: --as MEMBER"],
  [
    ["send", "t", "a", "x", "--as", "--json"],
    "--as needs a value before --json; if that is its value, write --as=--json",
  ],
  [
    ["team", "create", "t", "--revision", "2026-2"],
    '--revision takes 2026-02 or 2026-11, not "2026-2"; did you mean 2026-02?',
  ],
  [
    ["Fix the typos"],
    'there is no command "Fix the typos"; if it is a task: troupe -p "Fix the typos" (troupe help lists all)',
  ],
  [["--nothing"], "--nothing needs a command before it: troupe help lists all"],
  [["--take"], "--take needs a command before it: troupe help lists all"],
])("%j is wrong, and what would be right is said", (line, message) => {
  expect(asked(...line)).toMatchObject({ kind: "wrong", message });
});

test.each<[string[], string]>([
  [[], ""],
  [["--help"], ""],
  [["help", "--json"], ""],
  [["--root", "x"], ""],
  [["team", "-h"], "team"],
  [["help", "team"], "team"],
  [["help", "team", "show"], "team show"],
  [["team", "show", "t", "--help"], "team show"],
  [["show", "--help"], "show"],
  [["ps", "--help"], "show"],
])("%j asks for help about %j", (line, about) => {
  expect(asked(...line)).toMatchObject({ kind: "help", about });
});

test.each([[[]], [["--model", "haiku"]], [["--resume"]], [["--root", "x"]]])(
  "%j begins a session for a person at a terminal",
  (line) => {
    expect(parse(line, commands, true)).toMatchObject({ kind: "run", command: { name: "run" }, args: {} });
  },
);

test("-p means one task, wherever it stands before the words", () => {
  const run = { kind: "run", command: { name: "run" }, args: { prompt: "x" } };
  expect(asked("-p", "x")).toMatchObject({ ...run, options: { print: true } });
  expect(asked("--model", "haiku", "-p", "x")).toMatchObject({ ...run, options: { print: true, model: "haiku" } });
});

test("options may stand before, between and behind the words, and what follows -- is no option", () => {
  const right = { kind: "run", args: { team: "t", to: "a", text: "x" }, options: { as: "b", root: "r" }, isJson: true };
  for (const line of [
    ["--root", "r", "--as=b", "--json", "send", "t", "a", "x"],
    ["send", "t", "--as", "b", "a", "--json", "x", "--root=r"],
    ["send", "--json", "--as", "b", "--root", "r", "--", "t", "a", "x"],
  ]) {
    expect(asked(...line)).toMatchObject(right);
  }
  expect(asked("send", "t", "a", "--", "--as")).toMatchObject({ kind: "run", args: { text: "--as" }, options: {} });
  expect(asked("send", "t", "a", "x", "--as=-b")).toMatchObject({ kind: "run", options: { as: "-b" } });
  expect(asked("send", "t", "a", "-")).toMatchObject({ kind: "run", args: { text: "-" } });
});

test.each<[string[], string, object]>([
  [["ls"], "team list", {}],
  [["ps"], "show", { dir: undefined }],
  [["status", "t"], "show", { dir: "t" }],
  [["top", "t"], "watch", { team: "t" }],
])("%j is understood as %s", (line, name, args) => {
  expect(asked(...line)).toMatchObject({ kind: "run", command: { name }, args });
});

test("version is understood as --version", () => {
  expect(asked("version")).toMatchObject({ kind: "version" });
});

test("where one word is missing the team was left out, and the words are those behind it", () => {
  expect(asked("task", "show", "3")).toMatchObject({ kind: "run", args: { team: undefined, id: "3" }, words: ["3"] });
  expect(asked("send", "a", "x")).toMatchObject({ kind: "run", args: { team: undefined, to: "a", text: "x" } });
  expect(asked("team", "show")).toMatchObject({ kind: "run", args: { team: undefined } });
});

test("optional arguments may be missing, and repeated options become a list", () => {
  expect(asked("task", "claim", "t")).toMatchObject({ kind: "run", args: { team: "t", id: undefined } });
  const { options } = asked("task", "update", "t", "1", "--blocks", "2", "--blocks", "3", "--description=") as {
    options?: object;
  };
  expect(options).toEqual({ blocks: ["2", "3"], description: "" });
  expect(asked("team", "delete", "t", "-y")).toMatchObject({ kind: "run", options: { yes: true } });
});

test("the rest of the words goes to the one that takes them", () => {
  const command: Command = {
    name: "x",
    summary: "",
    args: [{ name: "files", summary: "", isRest: true, isOptional: true }],
    options: {},
    examples: [],
    load: () => Promise.reject(),
  };
  expect(parse(["x", "a", "b"], [command])).toMatchObject({ args: { files: ["a", "b"] } });
  expect(parse(["x"], [command])).toMatchObject({ args: { files: [] } });
});

test.each<[string[], object, object]>([
  [["-p", "hello"], { prompt: "hello" }, { print: true }],
  [["hello", "-p"], { prompt: "hello" }, { print: true }],
  [["--model", "haiku", "hello", "--print"], { prompt: "hello" }, { print: true, model: "haiku" }],
  [["-p", "--", "-p"], { prompt: "-p" }, { print: true }],
  [["-p", "- one\n- two"], { prompt: "- one\n- two" }, { print: true }],
  [["-p", "--- a/x\n+++ b/x"], { prompt: "--- a/x\n+++ b/x" }, { print: true }],
  [["-p", "x", "--append-system-prompt", "- be brief"], { prompt: "x" }, { "append-system-prompt": "- be brief" }],
])("%j is a task, wherever its options stand and whatever it begins with", (line, args, options) => {
  expect(asked(...line)).toMatchObject({ kind: "run", command: { name: "run" }, args, options });
});
