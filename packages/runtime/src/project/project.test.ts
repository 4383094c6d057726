import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { toolUse } from "../../test/entries.ts";
import { server } from "../../test/served.ts";
import { changed, done, opened, type Stage, stage, turn } from "../../test/sessions.ts";
import { openMcp } from "../mcp/mcp.ts";
import type { FrozenRequest } from "../model/frozen.ts";
import type { Session } from "../session/session.ts";

const task = (subagent_type: string) =>
  toolUse("t1", "Agent", { description: "d", prompt: "task one", subagent_type, run_in_background: false });
const write = (file_path: string) => toolUse("u1", "Write", { file_path, content: "x" });
const touch = (name: string) => [{ hooks: [{ type: "command", command: `touch "$CLAUDE_PROJECT_DIR"/${name}` }] }];
const toolsOf = (request: FrozenRequest | undefined): string[] =>
  (request?.tools ?? []).map((one) => JSON.parse(one).name);

function put(path: string, text: string | object): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof text === "string" ? text : JSON.stringify(text));
  return path;
}

/** One turn in the folder as it was cloned, and one after the person has trusted it. */
async function untrustedAndTrusted<Seen>(
  make: () => Stage,
  look: (scene: Stage, session: Session) => Seen,
): Promise<readonly [Seen, Seen]> {
  const seen = async (scene: Stage) => {
    const session = opened(scene.deps);
    await turn(session, "go");
    return look(scene, session);
  };
  const cloned = make();
  const trusted = make();
  trusted.trust();
  return [await seen(cloned), await seen(trusted)];
}

test("[DEF-13] an agent of a folder that is not trusted runs no hook, starts no server and accepts no edit by its own definition", async () => {
  const make = () => {
    const scene: Stage = stage(
      { "": [[task("painter")], done], "task one": (_, nth) => (nth === 0 ? [write(join(scene.cwd, "a.txt"))] : done) },
      { openMcp, gates: { agentMode: "default" }, mode: "acceptEdits" },
    );
    scene.define("painter", {
      hooks: { PreToolUse: touch("hooked") },
      mcpServers: [{ own: server() }],
      permissionMode: "acceptEdits",
    });
    return scene;
  };
  const [cloned, trusted] = await untrustedAndTrusted(make, ({ cwd, asked, requestsOf }, { problems }) => ({
    files: ["hooked", "starts", "a.txt"].filter((name) => existsSync(join(cwd, name))),
    asked: asked.map(({ tool }) => tool),
    offered: toolsOf(requestsOf("task one")[0]).filter((name) => name.startsWith("mcp__own")).length > 0,
    told: problems.flatMap(
      (one) => /painter\.md.*: (\w+) has no effect, since this folder is not trusted/.exec(one)?.[1] ?? [],
    ),
  }));
  expect(trusted).toEqual({ files: ["hooked", "starts", "a.txt"], asked: [], offered: true, told: [] });
  const told = ["hooks", "mcpServers", "permissionMode"];
  expect(cloned).toEqual({ files: [], asked: ["Write"], offered: false, told });
});

test("settings of a folder that is not trusted start no server, change no environment and widen nothing; what they forbid holds", async () => {
  const outside = (scene: Stage) => join(scene.home, "more/b.txt");
  const make = () => {
    const settings = {
      env: { COLOUR: "green" },
      mcpServers: { box: server() },
      permissions: {
        defaultMode: "acceptEdits",
        additionalDirectories: ["../more"],
        allow: ["Bash"],
        deny: ["Read(./secret)"],
      },
    };
    const scene: Stage = stage(
      {
        "": (_, nth) =>
          nth === 0
            ? [
                write(join(scene.cwd, "a.txt")),
                toolUse("u2", "Write", { file_path: outside(scene), content: "x" }),
                toolUse("u3", "Bash", { command: "printf $COLOUR > shell" }),
                toolUse("u4", "Read", { file_path: join(scene.cwd, "secret") }),
              ]
            : done,
      },
      { settings, openMcp },
    );
    put(join(scene.cwd, "secret"), "x");
    mkdirSync(join(scene.home, "more"));
    return scene;
  };
  const [cloned, trusted] = await untrustedAndTrusted(make, (scene, { problems, permissions }) => ({
    made: ["project/starts", "project/a.txt", "more/b.txt", "project/shell"].filter((name) =>
      existsSync(join(scene.home, name)),
    ),
    asked: scene.asked.map(({ tool }) => tool),
    servers: toolsOf(scene.requests[0]).includes("mcp__box__echo"),
    mode: permissions.mode(),
    ignored: problems.flatMap(
      (one) => /settings\.json(\S+): it is ignored: the folder is not trusted/.exec(one)?.[1] ?? [],
    ),
    denied: JSON.stringify(scene.requests[1]?.messages).includes("Read(./secret)"),
  }));
  const made = ["project/starts", "project/a.txt", "more/b.txt", "project/shell"];
  expect(trusted).toEqual({ made, asked: [], servers: true, mode: "acceptEdits", ignored: [], denied: true });
  expect(cloned).toEqual({
    made: [],
    asked: ["Write", "Write", "Bash"],
    servers: false,
    mode: "default",
    ignored: expect.arrayContaining([
      "/env/COLOUR",
      "/mcpServers/box",
      "/permissions/defaultMode",
      "/permissions/additionalDirectories",
      "/permissions/allow",
    ]),
    denied: true,
  });
});

test("a skill of a folder that is not trusted runs no hook, and a link out of the folder brings none", async () => {
  const skill = (name: string, matter: object = {}) =>
    `---\n${JSON.stringify({ name, description: `does ${name}`, context: "fork", ...matter })}\n---\nDo it, task one.\n`;
  const make = () => {
    const scene: Stage = stage(
      {
        "": [[toolUse("t1", "Skill", { skill: "paint" })], done],
        "task one": [[toolUse("u1", "Glob", { pattern: "*" })], done],
      },
      { mode: "bypassPermissions", isBypassAvailable: true },
    );
    put(join(scene.cwd, ".claude/skills/paint/SKILL.md"), skill("paint", { hooks: { PreToolUse: touch("hooked") } }));
    put(join(scene.home, "elsewhere/SKILL.md"), skill("linked"));
    symlinkSync(join(scene.home, "elsewhere"), join(scene.cwd, ".claude/skills/linked"));
    return scene;
  };
  const [cloned, trusted] = await untrustedAndTrusted(make, ({ cwd, requests, requestsOf }, { problems }) => ({
    ran: requestsOf("task one").length,
    hooked: existsSync(join(cwd, "hooked")),
    linked: JSON.stringify(requests[0]).includes("does linked"),
    told: problems.map((one) => one.slice(join(cwd, ".claude/skills/").length)),
  }));
  expect(trusted).toEqual({ ran: 2, hooked: true, linked: true, told: [] });
  expect(cloned).toEqual({
    ran: 2,
    hooked: false,
    linked: false,
    told: [
      expect.stringMatching(/^linked\/SKILL\.md: .*a link leads out of a project that is not trusted/),
      expect.stringMatching(/^paint\/SKILL\.md: hooks have no effect/),
    ],
  });
});

test("what is wrong with settings, instructions, definitions, skills and rules is told, each with its file", () => {
  const { deps, cwd, home } = stage({ "": [] }, { settings: { permissions: { ask: 7, deny: ["Bash(x"] } } });
  const agent = join(cwd, ".claude/agents/wrong.md");
  put(agent, "---\nname: wrong\ndescription: d\nmaxTurns: many\n---\nYou.\n");
  put(join(cwd, "CLAUDE.md"), "See @../outside.md.\n");
  put(join(home, ".claude/skills/odd/SKILL.md"), "---\nname: odd\ndescription: d\ncontext: spoon\n---\nText.\n");
  const outside = put(join(home, "outside.md"), "Text.");
  const { problems } = opened(deps);
  expect(problems).toEqual([
    expect.stringContaining(`${join(cwd, ".claude/settings.json")}/permissions/ask: it must be a list`),
    expect.stringContaining(`${outside}: ${outside}, imported by ${join(cwd, "CLAUDE.md")}, is left out`),
    expect.stringContaining(`${agent}:4: maxTurns is "many"`),
    expect.stringContaining(`${join(home, ".claude/skills/odd/SKILL.md")}: context can only be fork`),
    expect.stringMatching(/"Bash\(x" has a "\(" that is never closed.*in the project settings/),
  ]);
});

test("what a rule denies to read is in no instructions, neither by itself, nor by an import, nor by a link", async () => {
  const deny = ["Read(.env)", "Read(./CLAUDE.local.md)", "Read(~/notes/**)"];
  const { deps, cwd, home, requests } = stage({ "": [done] }, { settings: { permissions: { deny } } });
  put(join(cwd, ".env"), "SECRET=one");
  put(join(home, "notes/a.md"), "SECRET two");
  symlinkSync(".env", join(cwd, "linked.md"));
  put(join(cwd, "CLAUDE.local.md"), "SECRET three");
  put(join(cwd, "open.md"), "Mind the gap.");
  put(join(cwd, "CLAUDE.md"), "See @.env and @linked.md and @open.md here.\n");
  put(join(home, ".claude/CLAUDE.md"), "See @~/notes/a.md here.\n");
  const session = opened(deps);
  await turn(session, "go");
  expect(JSON.stringify(requests[0])).toContain("Mind the gap.");
  expect(JSON.stringify(requests[0])).not.toContain("SECRET");
  const told = session.problems.filter((one) => one.includes("forbids reading it"));
  expect(told.map((one) => one.split(": ")[0])).toEqual([
    join(home, "notes/a.md"),
    ...[".env", "linked.md", "CLAUDE.local.md"].map((name) => join(cwd, name)),
  ]);
});

test("skills, agents and settings count that the machine's owner, the program, the command line and plugins bring", async () => {
  const { deps, home, requests } = stage({ "": [done] });
  const skill = (words: string) => `---\nname: audit\ndescription: ${words}\n---\nText.\n`;
  const managedSkills = join(home, "owner/skills");
  put(join(managedSkills, "audit/SKILL.md"), skill("that of the owner"));
  put(join(home, ".claude/skills/audit/SKILL.md"), skill("that of the user"));
  put(join(home, "kit/skills/audit/SKILL.md"), skill("that of the kit"));
  put(join(home, ".claude/skills/greet/SKILL.md"), "---\nname: greet\ndescription: that of the user\n---\nText.\n");
  const given = { name: "greet", description: "that of the program", text: async () => "Text." };
  put(join(home, "kit/agents/helper.md"), "---\nname: helper\ndescription: helps\n---\nYou help.\n");
  const managedSettings = put(join(home, "owner/settings.json"), { permissions: { deny: ["Bash"] } });
  const session = opened(
    changed(deps, {
      managedSkills,
      managedSettings,
      flagSettings: JSON.stringify({ permissions: { deny: ["Write"] } }),
      skills: [given],
      definitions: { plugins: [{ name: "kit", directory: join(home, "kit") }] },
    }),
  );
  await turn(session, "go");
  const seen = JSON.stringify(requests[0]);
  for (const words of ["that of the owner", "that of the program", "that of the kit", "kit:audit", "kit:helper"])
    expect(seen).toContain(words);
  expect(seen).not.toContain("that of the user");
  expect(session.permissions.rules().map(({ text, source }) => [text, source])).toEqual([
    ["Bash", "managed"],
    ["Write", "flag"],
  ]);
});
