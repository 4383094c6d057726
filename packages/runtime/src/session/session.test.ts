import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { agentOutput, escapeProjectPath, layoutOf } from "@troupe/protocol";
import { expect, test } from "vitest";
import { toolUse, words } from "../../test/entries.ts";
import { talkOf } from "../../test/rehearsal.ts";
import { changed, opened, stage, type Wishes } from "../../test/sessions.ts";
import { conversationOf } from "../journal/state.ts";
import type { Block } from "../model/model.ts";
import { scriptedModel } from "../model/scripted.ts";
import { openSession } from "./open.ts";
import type { Person, SessionDeps } from "./session.ts";

/** A session in a project of its own, whose settings are these. */
function sessionWith(script: readonly (readonly Block[])[], settings: object = {}, over: Wishes = {}) {
  const asked: string[] = [];
  const ask: Person["ask"] = async ({ tool }) => {
    asked.push(tool);
    return { behavior: "deny", message: "the user said no" };
  };
  return { ...stage({ "": [...script, [words("done")]] }, { settings, ask, ...over }), asked };
}

async function played(deps: SessionDeps, prompt = "go") {
  const session = openSession(deps);
  const refusal = await session.submit(prompt);
  let terminal: unknown;
  const run = session.run();
  for (let step = await run.next(); ; step = await run.next())
    if (step.done) {
      terminal = step.value;
      break;
    }
  const talk = talkOf(conversationOf(session.journal.state())).map(({ content }) => JSON.stringify(content));
  await session.close();
  return { session, refusal, terminal, talk };
}

const hook = (command: string, matcher?: string) => [
  { ...(matcher ? { matcher } : {}), hooks: [{ type: "command", command }] },
];
const writing = (cwd: string) => [[toolUse("t1", "Write", { file_path: join(cwd, "a.txt"), content: "a" })]];

test("[PERM-12] [PERM-13] a write is asked about, and goes through where edits are accepted", async () => {
  const first = sessionWith([]);
  const asked = await played({ ...first.deps, model: scriptedModel([...writing(first.cwd), [words("done")]]) });
  expect([first.asked, existsSync(join(first.cwd, "a.txt"))]).toEqual([["Write"], false]);
  expect(asked.talk[2]).toContain("the user said no");
  const second = sessionWith([]);
  const model = scriptedModel([...writing(second.cwd), [words("done")]]);
  expect((await played(changed(second.deps, { model, mode: "acceptEdits" }))).terminal).toMatchObject({ isOk: true });
  expect([second.asked, readFileSync(join(second.cwd, "a.txt"), "utf8")]).toEqual([[], "a"]);
});

test("what a project's own settings would run or allow counts only once the folder is trusted", async () => {
  const settings = {
    permissions: { allow: ["Write"] },
    hooks: { UserPromptSubmit: hook("echo the hook was here") },
  };
  const { cwd, asked, deps, trust } = sessionWith([], settings);
  const model = () => scriptedModel([...writing(cwd), [words("done")]]);
  const before = await played({ ...deps, model: model() });
  expect([asked, before.talk[0]]).toEqual([["Write"], expect.not.stringContaining("the hook was here")]);
  expect(before.session.problems.join("\n")).toMatch(/settings\.json.*trust/);
  trust();
  const after = await played({ ...deps, model: model() });
  expect([asked, existsSync(join(cwd, "a.txt"))]).toEqual([["Write"], true]);
  expect(after.talk[0]).toContain("the hook was here");
});

test("a hook that refuses prompts is heard after a turn was interrupted as well", async () => {
  const { deps, trust } = sessionWith([], { hooks: { UserPromptSubmit: hook("echo 'not on Sundays' >&2; exit 2") } });
  trust();
  const session = openSession(deps);
  const interrupted = AbortSignal.abort("user_interrupt");
  for await (const _ of session.run(interrupted));
  expect(await session.submit("go")).toBe("not on Sundays");
  await session.close();
});

test("hooks see a call before anybody is asked, and its result before the model does", async () => {
  const settings = {
    hooks: {
      PreToolUse: hook("echo 'no writing today' >&2; exit 2", "Write"),
      PostToolUse: hook(
        `echo '{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"it was read"}}'`,
        "Read",
      ),
    },
  };
  const { cwd, asked, deps, trust } = sessionWith([], settings);
  trust();
  writeFileSync(join(cwd, "b.txt"), "b");
  const script = [...writing(cwd), [toolUse("t2", "Read", { file_path: join(cwd, "b.txt") })], [words("done")]];
  const { talk } = await played({ ...deps, model: scriptedModel(script) });
  expect([asked, existsSync(join(cwd, "a.txt"))]).toEqual([[], false]);
  expect(talk[2]).toContain("no writing today");
  expect(talk[4]).toContain("it was read");
});

test("a hook refuses a prompt, and another stops the agent", async () => {
  const refusing = sessionWith([], { hooks: { UserPromptSubmit: hook("echo 'not on Sundays' >&2; exit 2") } });
  refusing.trust();
  expect(await played(refusing.deps)).toMatchObject({ refusal: "not on Sundays", terminal: undefined, talk: [] });
  const stopping = sessionWith([], { hooks: { PreToolUse: hook(`echo '{"continue":false,"stopReason":"enough"}'`) } });
  stopping.trust();
  const model = scriptedModel([...writing(stopping.cwd), [words("done")]]);
  const { terminal } = await played({ ...stopping.deps, model });
  expect(terminal).toMatchObject({ isOk: false, why: "aborted", reason: "hook_stopped" });
});

test("[HOOK-03] a hook that keeps the agent from stopping is heard, and told so at the next attempt", async () => {
  const { cwd, deps, trust } = sessionWith([[words("I stop.")]], {
    hooks: {
      Stop: hook(`cat > seen.json; if [ -e once ]; then exit 0; fi; touch once; echo 'the tests are red' >&2; exit 2`),
    },
  });
  trust();
  const { talk, terminal } = await played(deps);
  expect(terminal).toMatchObject({ isOk: true, text: "done" });
  expect(talk[2]).toContain("the tests are red");
  expect(JSON.parse(readFileSync(join(cwd, "seen.json"), "utf8"))).toMatchObject({ stop_hook_active: true });
});

test("a search does not show what must not be read", async () => {
  const { cwd, deps, asked } = sessionWith([], {
    permissions: { deny: ["Read(./.env)", "Read(keys/)"], ask: ["Read(ask.me)"] },
  });
  mkdirSync(join(cwd, "keys"));
  for (const name of [".env", "keys/secret", "ask.me", "open.txt"]) writeFileSync(join(cwd, name), "the word\n");
  symlinkSync(".env", join(cwd, "linked"));
  const grep = (output_mode: string) => toolUse(output_mode, "Grep", { pattern: "the word", output_mode });
  const globs = ["**/*", "*", ".e*", "keys/*"].map((pattern) => toolUse(pattern, "Glob", { pattern }));
  const script = [[grep("files_with_matches"), grep("content"), grep("count"), ...globs], [words("done")]];
  const { talk } = await played({ ...deps, model: scriptedModel(script) });
  expect(talk[2]).toContain("open.txt");
  for (const name of ["project/.env", '".env', "secret\\n", "linked", "ask.me"]) expect(talk[2]).not.toContain(name);
  expect(asked).toEqual([]);
});

test("whoever runs the machine, the person or even the folder can take bypassing away, and no wish of the session brings it back", () => {
  const settings = { permissions: { disableBypassPermissionsMode: "disable" } };
  const wish = { mode: "bypassPermissions", isBypassAvailable: true } as const;
  const notEnabled = sessionWith([], {}, { mode: "bypassPermissions" });
  const modes = [sessionWith([], settings, wish), notEnabled, sessionWith([], {}, wish)].map(({ deps }) => {
    const { permissions } = opened(deps);
    return [permissions.mode(), permissions.setMode("bypassPermissions")];
  });
  expect(modes).toEqual([
    ["default", expect.stringContaining("not enabled")],
    ["default", expect.stringContaining("not enabled")],
    ["bypassPermissions", undefined],
  ]);
});

const answers = (decision: object) =>
  hook(`echo '${JSON.stringify({ hookSpecificOutput: { hookEventName: "PermissionRequest", decision } })}'`);

test("hooks of PermissionRequest answer in the person's place, and a denial of theirs or the person's can end the turn", async () => {
  const one = (PermissionRequest: object[] | undefined, over: Wishes = {}) => {
    const made = sessionWith([], PermissionRequest ? { hooks: { PermissionRequest } } : {}, over);
    made.trust();
    const model = scriptedModel([...writing(made.cwd), [words("done")]]);
    return { ...made, play: () => played({ ...made.deps, model }) };
  };
  const allowing = one(answers({ behavior: "allow" }));
  expect((await allowing.play()).terminal).toMatchObject({ isOk: true });
  expect([allowing.asked, existsSync(join(allowing.cwd, "a.txt"))]).toEqual([[], true]);
  const silent = one(hook("true"));
  await silent.play();
  expect(silent.asked).toEqual(["Write"]);
  const ended = { isOk: false, why: "aborted", reason: "user_interrupt" };
  const denying = one(answers({ behavior: "deny", message: "not today", interrupt: true }));
  const { terminal, talk } = await denying.play();
  expect([denying.asked, terminal]).toEqual([[], expect.objectContaining(ended)]);
  expect(talk.join()).toContain("not today");
  const ask: Person["ask"] = async () => ({ behavior: "deny", message: "stop it", interrupt: true });
  expect((await one(undefined, { ask }).play()).terminal).toMatchObject(ended);
});

test("what a session and its agents leave to be read is read without a question, also where nobody may be asked, and what others leave is not", async () => {
  const { cwd, deps, asked } = sessionWith([], {}, { sessionId: "s1", mode: "dontAsk" });
  const uid = process.getuid?.() ?? 0;
  const [project, other] = [cwd, "/another"].map(escapeProjectPath) as [string, string];
  const readable = [
    join(deps.machine.temporary, "s1/b1.output"),
    layoutOf(deps.machine.root).subagentTranscript(project, "s1", "a1"),
    agentOutput(deps.machine.temporary, uid, project, "s1", "a1"),
  ];
  const others = [
    join(deps.machine.temporary, "s2/b1.output"),
    layoutOf(deps.machine.root).transcript(project, "s2"),
    agentOutput(deps.machine.temporary, uid, other, "s1", "a1"),
  ];
  for (const path of [...readable, ...others]) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, "left here");
  }
  const calls = [...readable, ...others].map((file_path, at) => toolUse(`t${at}`, "Read", { file_path }));
  const { talk } = await played({ ...deps, model: scriptedModel([calls, [words("done")]]) });
  const results: { content: unknown }[] = JSON.parse(talk[2] ?? "[]");
  const isShown = results.map(({ content }) => JSON.stringify(content).includes("left here"));
  expect(isShown).toEqual([true, true, true, false, false, false]);
  expect(asked).toEqual([]);
});

test("hooks of SessionStart are told whether the conversation is new, once, and are heard with the first words", async () => {
  const { cwd, deps, trust } = sessionWith([], {
    hooks: { SessionStart: hook("cat >> begun; echo branch main") },
  });
  trust();
  const begun = () => readFileSync(join(cwd, "begun"), "utf8").match(/(?<="source":")\w+/g);
  const model = () => scriptedModel([[words("done")], [words("done")]]);
  const session = opened({ ...deps, sessionId: "s1", model: model() });
  for await (const _ of session.run());
  expect([begun(), conversationOf(session.journal.state())]).toEqual([["startup"], []]);
  for (const prompt of ["go", "go on"]) {
    await session.submit(prompt);
    for await (const _ of session.run());
  }
  const talk = JSON.stringify(conversationOf(session.journal.state()));
  expect([begun(), talk.match(/branch main/g)?.length]).toEqual([["startup"], 1]);
  await session.close();
  expect((await played({ ...deps, sessionId: "s1", model: model() })).talk.join()).toMatch(/branch main.*branch main/);
  expect(begun()).toEqual(["startup", "resume"]);
});
