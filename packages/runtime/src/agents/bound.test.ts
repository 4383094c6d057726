import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { toolUse } from "../../test/entries.ts";
import { changed, done, opened, settled, stage, turn } from "../../test/sessions.ts";
import type { FrozenRequest } from "../model/frozen.ts";
import type { Session } from "../session/session.ts";

const task = (id: string, input: object = {}) =>
  toolUse(id, "Agent", { description: "look around", prompt: "task one", run_in_background: false, ...input });
const bash = [toolUse("b1", "Bash", { command: "touch made" })];
const write = [toolUse("w1", "Write", { file_path: "made", content: "x" })];
const free = { revision: "2026-11", mode: "bypassPermissions", isBypassAvailable: true } as const;
const limited = { tools: ["Read", "Agent", "Skill", "SendMessage"] };
const toolsOf = (request: FrozenRequest | undefined) =>
  (request?.tools ?? []).map((tool): string => JSON.parse(tool).name);
const told = (request: FrozenRequest | undefined) => JSON.stringify(request?.messages.at(-1));

describe("an agent that has no Bash", () => {
  test.each(["runner", "general-purpose"])("starts none that has it: %s", async (subagent_type) => {
    const { deps, cwd, define, requestsOf } = stage(
      {
        "": [[task("t1", { subagent_type: "limited" })], done],
        "task two": [bash, done],
        "task one": [[task("u1", { subagent_type, prompt: "task two" })], done],
      },
      free,
    );
    define("limited", limited);
    define("runner", { tools: ["Bash", "Read"] });
    await turn(opened(deps), "go");
    expect(toolsOf(requestsOf("task two")[0])).toContain("Read");
    expect(toolsOf(requestsOf("task two")[0])).not.toContain("Bash");
    expect(told(requestsOf("task two")[1])).toContain("There is no tool called");
    expect(existsSync(join(cwd, "made"))).toBe(false);
  });

  test("forks none that has it", async () => {
    const { deps, cwd, define, requestsOf } = stage(
      {
        "": [[task("t1", { subagent_type: "limited" })], done],
        "directive: split two": [bash, done],
        "task one": [[task("u1", { subagent_type: "fork", prompt: "split two" })], done, done],
      },
      free,
    );
    define("limited", limited);
    const session = opened(deps);
    await turn(session, "go");
    await settled(session);
    expect(told(requestsOf("directive: split two")[1])).toContain("There is no tool called");
    expect(existsSync(join(cwd, "made"))).toBe(false);
  });

  test.each(["2026-02", "2026-11"] as const)(
    "an agent that has no Bash has no skill done by one that has it, in %s",
    async (revision) => {
      const { deps, cwd, define, requestsOf } = stage(
        {
          "": [[task("t1", { subagent_type: "limited" })], done],
          "Make it so": [bash, done],
          "task one": [[toolUse("s1", "Skill", { skill: "make" })], done],
        },
        { ...free, revision },
      );
      define("limited", limited);
      const skill = join(cwd, ".claude/skills/make");
      mkdirSync(skill, { recursive: true });
      writeFileSync(
        join(skill, "SKILL.md"),
        "---\nname: make\ndescription: Makes it.\ncontext: fork\n---\nMake it so.\n",
      );
      await turn(opened(deps), "go");
      expect(told(requestsOf("Make it so")[1])).toContain("There is no tool called");
      expect(existsSync(join(cwd, "made"))).toBe(false);
    },
  );

  test.each([
    ["limited", "There is no tool called", false],
    ["free", "tool_result", true],
  ])("sets none to work again that uses it: %s", async (subagent_type, answer, isMade) => {
    const { deps, cwd, define, requestsOf } = stage(
      {
        "": (request, nth) => {
          const id = /agentId: (a[0-9a-f]{16})/.exec(JSON.stringify(request.messages))?.[1];
          return (
            [[task("t1", { prompt: "task two" })], [task("t2", { subagent_type, prompt: `task one ${id}` })]][nth] ??
            done
          );
        },
        "task one": (request, nth) => {
          const to = /task one (a[0-9a-f]{16})/.exec(JSON.stringify(request.messages))?.[1];
          return nth === 0 ? [toolUse("s1", "SendMessage", { to, message: "make it", summary: "make" })] : done;
        },
        "task two": [done, bash, done],
      },
      free,
    );
    define("limited", limited);
    define("free", {});
    const session = opened(deps);
    await turn(session, "go");
    await settled(session);
    expect(told(requestsOf("task two").at(-1))).toContain(answer);
    expect(existsSync(join(cwd, "made"))).toBe(isMade);
  });
});

describe("an agent that was started below another and is set to work again by the main conversation", () => {
  const directoryOf = ({ transcript }: Pick<Session, "transcript">) =>
    join(transcript.replace(/\.jsonl$/, ""), "subagents");
  const again = async (parent: object, script: (typeof bash)[], spoil?: (path: string) => void) => {
    let session: Session | undefined;
    const nested = () => {
      const directory = session ? directoryOf(session) : "";
      const name = readdirSync(directory).find(
        (one) => one.endsWith(".meta.json") && readFileSync(join(directory, one), "utf8").includes('"runner"'),
      );
      return join(directory, name ?? "");
    };
    const idOf = (path: string) => /agent-(.*)\.meta\.json$/.exec(path)?.[1];
    const scene = stage(
      {
        "": (_, nth) =>
          [
            [task("t1", { subagent_type: "limited" })],
            done,
            [
              toolUse("s1", "SendMessage", {
                to: nth === 2 ? idOf(nested()) : "",
                message: "make it",
                summary: "make",
              }),
            ],
          ][nth] ?? done,
        "task two": [done, ...script, done],
        "task one": [[task("u1", { prompt: "task two", subagent_type: "runner" })], done],
      },
      { revision: "2026-11", sessionId: "s1" },
    );
    scene.define("limited", parent);
    scene.define("runner", {});
    const first = opened(changed(scene.deps, { mode: "acceptEdits" }));
    session = first;
    await turn(first, "go");
    await settled(first);
    await first.close();
    spoil?.(nested());
    session = opened(changed(scene.deps, { gates: { agentMode: "acceptEdits" } }));
    const { talk } = await turn(session, "again");
    await settled(session);
    return { ...scene, talk };
  };

  test("an agent that is set to work again has no tool that the one above it had not", async () => {
    const { cwd, requestsOf } = await again(limited, [bash]);
    expect(told(requestsOf("task two").at(-1))).toContain("There is no tool called");
    expect(existsSync(join(cwd, "made"))).toBe(false);
  });

  test.each([
    ["default", false],
    [undefined, true],
  ])("works in no wider mode than the one above it: %s", async (permissionMode, isMade) => {
    const { cwd, requestsOf } = await again({ ...(permissionMode && { permissionMode }) }, [write]);
    expect(requestsOf("task two")).toHaveLength(3);
    expect(existsSync(join(cwd, "made"))).toBe(isMade);
  });

  test("an agent that was started below another stays as it is where nobody can tell what it may do", async () => {
    const { talk, requestsOf } = await again(limited, [bash], (path) =>
      writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, "utf8")), bounds: "none" })),
    );
    expect(talk.join()).toContain("does not record its permissions");
    expect(requestsOf("task two")).toHaveLength(1);
  });
});
