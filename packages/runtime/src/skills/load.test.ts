import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { scratch } from "../../test/scratch.ts";
import { loadSkills } from "./load.ts";

type Places = Parameters<typeof loadSkills>[0];
let top: string;
let usual: Places;
beforeEach(() => {
  top = scratch();
  mkdirSync(join(top, "repo/.git"), { recursive: true });
  const cwd = join(top, "repo/packages/inner");
  mkdirSync(cwd, { recursive: true });
  usual = { root: join(top, "root"), cwd, isTrusted: true, revision: "2026-11" };
});

const put = (path: string, text: string): string => {
  const file = join(top, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
};
const load = (more: Partial<Places> = {}) => {
  const { skills, problems } = loadSkills({ ...usual, ...more });
  return { skills, problems: problems.map(({ file, message }) => `${file.slice(top.length + 1)}: ${message}`) };
};
const namesOf = (more?: Partial<Places>) => load(more).skills.map(({ name }) => name);
const skill = (name: string, more?: Partial<Places>) =>
  load(more).skills.find((one) => one.name === name) ?? expect.unreachable(`no ${name}`);

test("skills and commands are found below the user's directory, in the project up to its repository, and in plugins", () => {
  put("root/skills/mine/SKILL.md", "Mine.");
  put("root/commands/old.md", "Old.");
  put("repo/.claude/skills/ours/SKILL.md", "Ours.");
  put("repo/packages/.claude/commands/front/end/page.md", "Page.");
  put("zoo/skills/react/SKILL.md", "React.");
  put("zoo/commands/care/feed.md", "Feed.");
  put(".claude/skills/above/SKILL.md", "Above the repository.");
  put("root/skills/notes.md", "No skill.");
  put("root/skills/mine/more.md", "Of the skill.");
  const plugins = [{ name: "zoo", directory: join(top, "zoo") }];
  expect(load({ plugins }).problems).toEqual([]);
  expect(namesOf({ plugins })).toEqual(["front:end:page", "mine", "old", "ours", "zoo:care:feed", "zoo:react"]);
});

test("of one name the strongest counts: managed, user, the nearest of the project; a plugin's has a name of its own", () => {
  const description = (more?: Partial<Places>) => skill("deploy", more).description;
  put("repo/.claude/skills/deploy/SKILL.md", "repository");
  expect(description()).toBe("repository");
  put("repo/packages/.claude/skills/deploy/SKILL.md", "nearer");
  expect(description()).toBe("nearer");
  put("root/skills/deploy/SKILL.md", "user");
  expect(description()).toBe("user");
  put("owner/deploy/SKILL.md", "managed");
  const managed = join(top, "owner");
  expect(description({ managed })).toBe("managed");
  put("zoo/skills/deploy/SKILL.md", "plugin");
  put("repo/.claude/commands/zoo/deploy.md", "what a clone calls the same");
  const plugins = [{ name: "zoo", directory: join(top, "zoo") }];
  expect(skill("zoo:deploy", { plugins }).description).toBe("plugin");
  expect(load({ managed }).problems).toEqual([]);
});

test("of two that are called the same in one place the skill goes before the command, and the other is told", () => {
  put("root/skills/deploy/SKILL.md", "skill");
  put("root/skills/other/SKILL.md", "---\nname: Deploy\n---\nalike");
  put("root/commands/deploy.md", "command");
  expect(load().skills.map(({ name, description }) => [name, description])).toEqual([["deploy", "skill"]]);
  expect(load().problems).toEqual([
    expect.stringContaining("root/skills/other/SKILL.md: Deploy is not used"),
    expect.stringContaining("root/commands/deploy.md: deploy is not used"),
  ]);
});

test("a skill is called after its directory and described by its first paragraph, unless it says otherwise", () => {
  put("root/skills/plain/SKILL.md", "# Title\n\nWhat it\nis for.\n\nMore.");
  put("root/skills/named/SKILL.md", "---\nname: better\n---\n\nBody.");
  put("root/skills/blank/SKILL.md", "---\nname: My Skill\ndescription: Use when: asked\n---\nBody.");
  put("root/commands/file.md", "---\nname: not-this\n---\n# Only a title");
  expect(load().skills.map(({ name, description }) => [name, description])).toEqual([
    ["better", "Body."],
    ["blank", "Use when: asked"],
    ["file", "Only a title"],
    ["plain", "What it\nis for."],
  ]);
  put("root/skills/two words/SKILL.md", "Not to be typed.");
  const told = load().problems.join();
  expect(told).toContain('the name "My Skill" cannot be typed; the skill is called blank');
  expect(told).toContain("/two words cannot be typed");
});

const [directoryMark, pluginMark] = ["\u0024{CLAUDE_SKILL_DIR}", "\u0024{CLAUDE_PLUGIN_ROOT}"];
test("the text is read when it is needed, whole, and knows where its files lie", async () => {
  const file = put("zoo/skills/a/SKILL.md", `---\nname: a\n---\n${directoryMark}/x ${pluginMark}/y \${HOME}`);
  const plugins = [{ name: "zoo", directory: join(top, "zoo") }];
  const found = skill("zoo:a", { plugins });
  const directory = dirname(file);
  expect(await found.text()).toBe(
    `Base directory for this skill: ${directory}\n\n${directory}/x ${join(top, "zoo")}/y \${HOME}`,
  );
  writeFileSync(file, "x".repeat(200_000));
  expect(await found.text()).toMatch(/x\n… \[cut after 100000 of \d+ characters; the skill is too long\]$/);
  rmSync(file);
  await expect(found.text()).rejects.toThrow("it is gone");
  put("root/commands/b.md", pluginMark);
  expect(await skill("b").text()).toBe(pluginMark);
});

test("opening a skill runs none of the commands in it, and its text says so", async () => {
  const mark = join(top, "mark");
  put("repo/.claude/commands/inline.md", `Now: !\`touch ${mark}\``);
  put("repo/.claude/skills/block/SKILL.md", `---\nname: block\n---\n\`\`\`!\ntouch ${mark}\n\`\`\`\n`);
  put("repo/.claude/commands/none.md", "Great! `touch` nothing.");
  expect(await skill("inline").text()).toMatch(/^Commands that this skill marks with ! were not run.*\n\nNow: !`touch/);
  expect(await skill("block").text()).toContain("were not run");
  expect(await skill("none").text()).toBe("Great! `touch` nothing.");
  expect(existsSync(mark)).toBe(false);
});

test("what cannot be read is told with its reason, and hides no other", async () => {
  put("root/skills/good/SKILL.md", "Good.");
  put("root/skills/open/SKILL.md", "---\nname: open\nNever closed.");
  put("root/skills/broken/SKILL.md", "---\ndisable-model-invocation: true\nhooks: [a, {\n---\nx");
  put("root/skills/utf16/SKILL.md", "\uFEFFa\u0000b\u0000");
  truncateSync(put("root/skills/huge/SKILL.md", ""), 3_000_000);
  for (const name of ["gone", "loop", "zero", "pipe"]) mkdirSync(join(top, "root/skills", name));
  symlinkSync("nowhere", join(top, "root/skills/gone/SKILL.md"));
  symlinkSync("SKILL.md", join(top, "root/skills/loop/SKILL.md"));
  symlinkSync("/dev/zero", join(top, "root/skills/zero/SKILL.md"));
  execFileSync("mkfifo", [join(top, "root/skills/pipe/SKILL.md")]);
  put("root/commands", "a file in the place of a directory");
  const { skills, problems } = load();
  expect(skills.map(({ name }) => name)).toEqual(["good"]);
  const reasons = [
    "it is not a directory",
    "YAML|quote|bracket",
    "broken link",
    "more than 1048576",
    "a link to itself",
  ];
  for (const reason of [...reasons, "never closed", "it is not a file", "NUL"])
    expect(problems.filter((problem) => new RegExp(reason).test(problem))).not.toEqual([]);
  expect(problems).toHaveLength(9);
});

test("links are followed, but in a project that is not trusted not out of it", () => {
  put("elsewhere/shared/SKILL.md", "Shared.");
  put("elsewhere/secret.md", "A secret.");
  for (const place of ["root/skills", "repo/.claude/skills", "repo/.claude/commands"])
    mkdirSync(join(top, place), { recursive: true });
  symlinkSync(join(top, "elsewhere/shared"), join(top, "root/skills/linked"));
  symlinkSync(join(top, "elsewhere/shared"), join(top, "repo/.claude/skills/outside"));
  symlinkSync(join(top, "elsewhere/secret.md"), join(top, "repo/.claude/commands/secret.md"));
  put("repo/docs/inside/SKILL.md", "Inside.");
  symlinkSync(join(top, "repo/docs/inside"), join(top, "repo/.claude/skills/inside"));
  expect(namesOf()).toEqual(["inside", "linked", "outside", "secret"]);
  const foreign = load({ isTrusted: false });
  expect(foreign.skills.map(({ name }) => name)).toEqual(["inside", "linked"]);
  expect(foreign.problems.join()).toContain("leads out of a project that is not trusted");
});

test("the user's own directory is the user's, even where it lies like a project's", () => {
  put(
    "home/.claude/skills/a/SKILL.md",
    "---\ncontext: fork\nhooks:\n  Stop:\n    - hooks: [{type: command, command: x}]\n---\nA",
  );
  const home = { cwd: join(top, "home"), root: join(top, "home/.claude"), isTrusted: false };
  expect(load(home)).toMatchObject({ skills: [{ name: "a", hooks: { Stop: [{}] } }], problems: [] });
});

test("hooks of a forked skill count by whose they are: not a plugin's, and a project's only in a trusted folder", () => {
  const text = "---\ncontext: fork\nhooks:\n  Stop:\n    - hooks: [{type: command, command: x}]\n---\nA";
  put("repo/.claude/skills/ours/SKILL.md", text);
  put("zoo/skills/its/SKILL.md", text);
  const plugins = [{ name: "zoo", directory: join(top, "zoo") }];
  const hooked = (isTrusted: boolean) => {
    const { skills, problems } = load({ plugins, isTrusted });
    return [skills.flatMap(({ name, hooks }) => (hooks ? name : [])), problems.map((one) => one.split(/[,;] /)[0])];
  };
  const ofPlugin = "zoo/skills/its/SKILL.md: hooks of a plugin's skill have no effect";
  expect(hooked(true)).toEqual([["ours"], [ofPlugin]]);
  expect(hooked(false)).toEqual([[], [ofPlugin, "repo/.claude/skills/ours/SKILL.md: hooks have no effect"]]);
});

test("five hundred skills are all found, in the order of their names; of endlessly many the first thousand are", () => {
  for (let at = 0; at < 500; at += 1) put(`root/skills/s${at}/SKILL.md`, `---\nname: s${at}\ndescription: d\n---\nx`);
  const names = namesOf();
  expect(names).toHaveLength(500);
  expect(names).toEqual([...names].sort());
  for (let at = 500; at < 1_001; at += 1) put(`root/skills/s${at}/SKILL.md`, "x");
  expect(load().skills).toHaveLength(1_000);
  expect(load().problems).toEqual([expect.stringContaining("only the first 1000")]);
});
