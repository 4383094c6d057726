import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { expectSchema, main, openTroupe, sample } from "./command-line.ts";

const { home, root, troupe, asProcess, told, json, refusal, begin } = openTroupe();

test.each([[[]], [["-h"]], [["help"]]])("help is an answer, in whatever way it is asked for: %j", (args) => {
  const help = told(...args);
  expect(help).toMatch(/^troupe runs, inspects and steers teams of coding agents/);
  for (const words of [
    "usage: troupe <command>",
    "task claim",
    "--root DIR",
    "troupe show\n",
    "130  stopped by Ctrl-C",
  ]) {
    expect(help).toContain(words);
  }
});

test.each([
  [["task", "--help"], "usage: troupe task <command> [options]"],
  [["help", "task"], "usage: troupe task <command> [options]"],
  [["task", "claim", "-h"], "usage: troupe task claim [team] [id] [options]"],
  [["help", "task", "claim"], "usage: troupe task claim [team] [id] [options]"],
  [["show", sample, "--help"], "usage: troupe show [dir] [options]"],
])("help about a group or a command says how it is written, and shows it: %j", (args, usage) => {
  const help = told(...args);
  expect(help.split("\n")[0]).toBe(usage);
  expect(help).toMatch(/examples\n {2}troupe /);
});

test("help is a document too, for programs that want to know what there is", () => {
  const { commands } = json("help", ["help"]);
  expect(commands.map(({ name }: { name: string }) => name)).toContain("task claim");
  expect(json("help", ["send", "--help"]).commands).toHaveLength(1);
  expect(json("version", ["--version"]).version).toMatch(/^\d+\.\d+\.\d+$/);
});

test.each<[string[], string]>([
  [["shwo"], 'there is no command "shwo"; did you mean show? (troupe help lists all)'],
  [["task"], "task needs a command: list, show, create"],
  [["inbox", "t", "--al"], "inbox has no option --al; did you mean --all? (troupe inbox --help)"],
])("a wrong command line ends with 2, and one line that says what is right: %j", (args, words) => {
  expect(refusal(2, args).slice(0, words.length)).toBe(words);
});

test("with --json a failure is a document on standard error, and nothing is on the other", () => {
  for (const [args, code, exit] of [
    [["task", "list", "none", "--json"], "team_unknown", 3],
    [["--json", "shwo"], "arguments_invalid", 2],
    [["--root", home, "show", "--json"], "refused", 3],
  ] as const) {
    const { status, stdout, stderr } = troupe(args);
    expect({ status, stdout }).toEqual({ status: exit, stdout: "" });
    const document = JSON.parse(stderr);
    expectSchema("error", document);
    expect(document.error).toMatchObject({ code, exit });
  }
});

test("--debug says more below the line: the code, the details and where it happened", () => {
  const { stderr } = troupe(["task", "list", "none", "--debug"]);
  expect(stderr).toMatch(
    /^troupe: there is no team none .*\n {2}code: team_unknown\n {2}details: \{"name":"none".*\n {2}TroupeError: .*\n {6}at /,
  );
  const { error } = JSON.parse(troupe(["task", "list", "none", "--debug", "--json"]).stderr);
  expectSchema("error", { error });
  expect(error).toMatchObject({ details: { name: "none" }, stack: expect.stringContaining("    at ") });
});

test("where there is nothing to show the end is 3, and the directory is named", () => {
  for (const [path, words] of [
    [join(home, "nowhere"), "there is no directory"],
    [main, "there is no directory"],
    [home, "no teams under"],
    ["x".repeat(5_000), "this path is too long"],
  ] as const) {
    const status = path.startsWith("x") ? 1 : 3;
    const line = refusal(status, ["show", path]);
    expect(line).toContain(words);
    expect(line).toContain(path);
  }
});

test("a team that is named where a directory belongs is shown", () => {
  const shown = told("show", "parser-team", "--root", sample);
  expect(shown).toBe(told("team", "show", "parser-team", "--root", sample));
  expect(json("show", ["status", "parser-team", "--root", sample]).teams).toMatchObject([{ name: "parser-team" }]);
});

test("the root is the one that is named, else $CLAUDE_CONFIG_DIR, else ~/.claude", () => {
  const teamIn = (path: string, name: string) => {
    mkdirSync(join(path, "teams"), { recursive: true });
    cpSync(join(sample, "teams/parser-team"), join(path, "teams", name), { recursive: true });
  };
  teamIn(root, "of-home");
  teamIn(join(home, "named"), "of-variable");
  teamIn(join(home, "other"), "of-argument");
  const env = { CLAUDE_CONFIG_DIR: join(home, "named") };
  const shown = (...given: Parameters<typeof troupe>) => asProcess(...given).stdout.split("  ")[0];
  expect(shown(["show"])).toBe("of-home");
  expect(shown(["show"], { env: { CLAUDE_CONFIG_DIR: "" } })).toBe("of-home");
  expect(shown(["show"], { env })).toBe("of-variable");
  expect(shown(["show", join(home, "other")], { env })).toBe("of-argument");
  expect(shown(["--root", join(home, "other"), "show"], { env })).toBe("of-argument");
  expect(shown(["show", "--root", "other"], { env, cwd: home })).toBe("of-argument");
});

test("colours come with FORCE_COLOR, not into a pipe, and NO_COLOR is heard", () => {
  const shown = (env: Record<string, string>) => troupe(["show", sample], { env }).stdout;
  const plain = shown({});
  expect(plain).not.toContain("\u001b");
  expect(shown({ FORCE_COLOR: "1" })).toContain("\u001b[1mparser-team\u001b[22m");
  expect(shown({ FORCE_COLOR: "1" }).replaceAll(/\u001b\[\d+m/g, "")).toBe(plain);
  expect(shown({ NO_COLOR: "1", FORCE_COLOR: "0" })).toBe(plain);
});

test.each([60, 20])("in %d columns no line is longer, and every word is there", (columns) => {
  const words = (text: string) => text.split(/\s+/).join("");
  const wide = troupe(["show", sample]).stdout;
  const narrow = troupe(["show", sample], { env: { COLUMNS: String(columns) } }).stdout;
  for (const line of narrow.split("\n")) expect(line.length, line).toBeLessThanOrEqual(columns);
  const letters = (text: string) => [...words(text)].sort().join("");
  expect(letters(narrow)).toBe(letters(wide));
});

test("an output that cannot be written, to a full disk say, is a failure with its reason", () => {
  const file = join(home, "output");
  for (const words of [["help"], ["team", "list", "--json"]]) {
    const script = 'ulimit -f 0; file=$1; shift; exec "$0" "$@" > "$file"';
    const { status, stderr } = spawnSync("sh", ["-c", script, process.execPath, file, main, ...words], {
      encoding: "utf8",
      env: { ...process.env, HOME: home },
    });
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: expect.stringContaining("the output could not be written: EFBIG"),
    });
  }
});

test("a reader that goes away, as head does, is no failure", async () => {
  const child = begin(["show", sample]);
  child.stdout.destroy();
  let complaint = "";
  child.stderr.on("data", (data) => {
    complaint += data;
  });
  const [status] = await once(child, "close");
  expect({ status, complaint }).toEqual({ status: 0, complaint: "" });
});

test.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const)(
  "%s ends with %d what waits for somebody else's lock, which says after a second that it waits",
  async (signal, exit) => {
    mkdirSync(join(root, "teams/of-home/inboxes/reader.json.lock"), { recursive: true });
    const child = begin(["send", "of-home", "reader", "hello"]);
    const [line] = await once(child.stderr, "data");
    expect(String(line)).toBe(
      "note: send is still at work after 1 s; it waits 15 s at most for a lock of another process\n",
    );
    child.kill(signal);
    expect(await once(child, "close")).toEqual([exit, null]);
  },
);
