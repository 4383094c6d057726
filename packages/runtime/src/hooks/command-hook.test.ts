import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { untilSeen } from "../../../../scripts/awaited.ts";
import { commands, gone, hooked, isAlive, never, pidIn, script } from "../../test/hooked.ts";
import { scratch } from "../../test/scratch.ts";

const nothing = { context: [], messages: [], errors: [] };
const call = { tool_name: "Bash", tool_input: { command: "ls" }, tool_use_id: "t1" };

test("[HOOK-13] a command reads the event as one JSON document, and exit 0 lets it pass", async () => {
  const hooks = hooked({ PreToolUse: commands("cat > event.json") });
  expect(await hooks.fire("PreToolUse", call, never)).toEqual(nothing);
  expect(JSON.parse(readFileSync(join(hooks.cwd, "event.json"), "utf8"))).toEqual({
    session_id: "s",
    transcript_path: join(hooks.cwd, "t.jsonl"),
    cwd: hooks.cwd,
    hook_event_name: "PreToolUse",
    ...call,
  });
});

test("exit 2 blocks for the reason on the standard error, and before a tool it denies", async () => {
  const hooks = hooked({ PreToolUse: commands("echo no >&2; echo yes; exit 2"), Stop: commands("exit 2") });
  expect(await hooks.fire("PreToolUse", call, never)).toEqual({
    ...nothing,
    block: "no",
    permission: { decision: "deny", reason: "no" },
  });
  expect((await hooks.fire("Stop", {}, never)).block).toMatch(/gave no reason/);
});

test.each([
  ["exit 1", "exited with 1"],
  ["echo broken >&2; exit 3", "exited with 3: broken"],
  ["kill -9 $$", "was killed by SIGKILL"],
  ["no-such-program", "exited with 127"],
  [`echo '{"decision": '`, "begins like JSON and is none"],
  [`echo '{"decision":"perhaps"}'`, '"perhaps"'],
])("%s is an error that says whose it is and lets the event pass", async (command, why) => {
  const { errors, ...rest } = await hooked({ Stop: commands(command) }).fire("Stop", {}, never);
  expect(rest).toEqual({ context: [], messages: [] });
  expect(errors).toEqual([expect.stringContaining(why)]);
  expect(errors[0]).toMatch(/^The command hook of Stop \(test\): /);
});

test("a directory for the worktree is the last line printed; any failure leaves none and blocks", async () => {
  const made = hooked({ WorktreeCreate: commands("echo Preparing; printf '\\033[32m/srv/wt/one\\033[0m\\n\\n'") });
  expect(await made.fire("WorktreeCreate", { name: "one" }, never)).toEqual({
    ...nothing,
    worktreePath: "/srv/wt/one",
  });
  const failed = await hooked({ WorktreeCreate: commands("echo /x; echo full >&2; exit 1") }).fire(
    "WorktreeCreate",
    { name: "one" },
    never,
  );
  expect(failed).toEqual({ ...nothing, block: "full" });
});

test("what is printed when a session starts or a user writes is told to the model, and at no other event", async () => {
  const hooks = hooked({
    SessionStart: commands("echo branch main"),
    UserPromptSubmit: commands("echo be brief", "echo lost; exit 1"),
    PostToolUse: commands("echo chatter"),
  });
  expect((await hooks.fire("SessionStart", { source: "startup" }, never)).context).toEqual(["branch main"]);
  expect((await hooks.fire("UserPromptSubmit", { prompt: "hi" }, never)).context).toEqual(["be brief"]);
  expect((await hooks.fire("PostToolUse", call, never)).context).toEqual([]);
});

test("[HOOK-08] the shell finds the plugin and the project, also with blanks and quotes in their paths", async () => {
  const root = join(scratch(), "a plug'in; $(touch pwned)");
  mkdirSync(root);
  script(root, "say.sh", 'echo "$0 $1 $CLAUDE_PROJECT_DIR"');
  const shell = { type: "command", command: `"\${CLAUDE_PLUGIN_ROOT}/say.sh" shell` };
  const exec = { type: "command", command: `\${CLAUDE_PLUGIN_ROOT}/say.sh`, args: [`\${CLAUDE_PROJECT_DIR}`] };
  const hooks = hooked(
    {},
    { sources: [{ origin: "plugin", pluginRoot: root, hooks: { SessionStart: [{ hooks: [shell, exec] }] } }] },
  );
  expect((await hooks.fire("SessionStart", { source: "startup" }, never)).context).toEqual([
    `${root}/say.sh shell ${hooks.cwd}`,
    `${root}/say.sh ${hooks.cwd} ${hooks.cwd}`,
  ]);
  expect(existsSync(join(hooks.cwd, "pwned"))).toBe(false);
});

test("a command sees the environment it is given and nothing of ours", async () => {
  const hooks = hooked({ SessionStart: commands("env | cut -d= -f1 | grep -vE '^(PWD|OLDPWD|SHLVL|_)$' | sort") });
  const { context } = await hooks.fire("SessionStart", { source: "startup" }, never);
  expect(context).toEqual(["CLAUDE_PROJECT_DIR\nPATH"]);
});

test("a command that takes too long is ended, and says so", async () => {
  const hooks = hooked({ Stop: [{ hooks: [{ type: "command", command: "sleep 300", timeout: 0.3 }] }] });
  const { errors, block } = await hooks.fire("Stop", {}, never);
  expect([errors, block]).toEqual([[expect.stringContaining("took longer than 0.3 s")], undefined]);
});

test("a command that is cut is ended with all below it, also what ignores SIGTERM in a session of its own", async () => {
  const stubborn =
    "trap '' TERM; sleep 300 & echo $! > child; setsid sleep 300 & echo $! > fled; echo $$ > self; touch ready; wait; sleep 300";
  const hooks = hooked({ Stop: commands(stubborn) });
  const cutting = new AbortController();
  const fired = hooks.fire("Stop", {}, cutting.signal);
  await untilSeen("all that it starts", () => existsSync(join(hooks.cwd, "ready")));
  cutting.abort();
  expect((await fired).block).toBeUndefined();
  for (const name of ["child", "fled", "self"]) expect([name, isAlive(pidIn(hooks.cwd, name))]).toEqual([name, false]);
});

test("a command that ends politely is not over before what it started is", async () => {
  const polite =
    "setsid sh -c 'trap \"\" TERM; echo $$ > fled; touch ready; while :; do sleep 0.05; done' >/dev/null 2>&1 & wait";
  const hooks = hooked({ Stop: commands(polite) });
  const cutting = new AbortController();
  const fired = hooks.fire("Stop", {}, cutting.signal);
  await untilSeen("what it starts", () => existsSync(join(hooks.cwd, "ready")));
  cutting.abort();
  await fired;
  expect(isAlive(pidIn(hooks.cwd, "fled"))).toBe(false);
});

test("what a command leaves behind in the background ends with it and does not delay it", async () => {
  const hooks = hooked({ Stop: commands("sleep 300 & echo $! > child; echo kept going >&2; exit 2") });
  expect((await hooks.fire("Stop", {}, never)).block).toBe("kept going");
  await gone(pidIn(hooks.cwd, "child"));
});

test("a process that fled the group but holds the output open does not delay the event", async () => {
  const hooks = hooked({
    Stop: commands("setsid sh -c 'echo $$ > fled; exec sleep 300' & until [ -s fled ]; do :; done; exit 2"),
  });
  expect((await hooks.fire("Stop", {}, never)).block).toBeDefined();
  process.kill(pidIn(hooks.cwd, "fled"), "SIGKILL");
});

test("a cancelled event ends its commands at once", async () => {
  const hooks = hooked({ Stop: commands("echo $$ > self; sleep 300") });
  const ending = new AbortController();
  const fired = hooks.fire("Stop", {}, ending.signal);
  await untilSeen("the file self", () => existsSync(join(hooks.cwd, "self")));
  ending.abort();
  expect((await fired).errors).toEqual([expect.stringContaining("was cancelled")]);
  expect((await hooks.fire("Stop", {}, ending.signal)).errors).toEqual([expect.stringContaining("was cancelled")]);
});

test("a flood is read and bounded: the verdict counts, and what is passed on is short", async () => {
  const hooks = hooked({
    Stop: commands("head -c 30000000 /dev/zero | tr '\\0' x; head -c 3000000 /dev/zero | tr '\\0' y >&2; exit 2"),
  });
  const { block = "" } = await hooks.fire("Stop", {}, never);
  expect(block).toMatch(/^y{10000}… \(cut\)$/);
});

test("a command that never reads its input gets an event larger than the pipe all the same", async () => {
  const hooks = hooked({ PostToolUse: commands("exit 0") });
  expect(await hooks.fire("PostToolUse", { ...call, tool_response: "x".repeat(5_000_000) }, never)).toEqual(nothing);
});

test("a directory that is gone, a program that is not there and a word with a NUL are errors and nothing more", async () => {
  const gone = hooked(
    { Stop: commands("true") },
    { surroundings: () => ({ session_id: "s", transcript_path: "t", cwd: "/gone" }) },
  );
  const exec = (command: string) => hooked({ Stop: [{ hooks: [{ type: "command", command, args: [] }] }] });
  for (const hooks of [gone, exec("/no/such"), exec("a\0b")])
    expect((await hooks.fire("Stop", {}, never)).errors).toEqual([expect.stringContaining("could not be started")]);
});
