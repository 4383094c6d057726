import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { toolUse, words } from "../../test/entries.ts";
import { placeAt } from "../../test/place.ts";
import { scratch } from "../../test/scratch.ts";
import { type Cast, done, opened, settled, stage, turn, type Wishes } from "../../test/sessions.ts";

const agent = (input: object) => toolUse("t1", "Agent", input);

async function played(cast: Cast, over: Wishes = {}) {
  const scene = stage(cast, over);
  const session = opened(scene.deps);
  const { talk } = await turn(session, "go");
  await settled(session);
  return { ...scene, session, result: talk[2] ?? "", after: async () => (await turn(session)).talk };
}

describe("the calls that the seed gives as examples", () => {
  test("[LIM-07] a named agent that is waited for", async () => {
    const scene = stage({
      "": [
        [
          agent({
            description: "review parser bug",
            prompt: "Review the parser changes and identify correctness risks.",
            subagent_type: "code-reviewer",
          }),
        ],
        done,
      ],
      "Review the parser changes": [[words("Two risks.")]],
    });
    scene.define("code-reviewer", { tools: ["Read", "Grep", "Glob"], maxTurns: 8 });
    expect((await turn(opened(scene.deps), "go")).talk[2]).toContain("Two risks.");
  });

  test("[LIM-07] a long task in the background", async () => {
    const { result, after } = await played({
      "": [
        [
          agent({
            description: "run regression suite",
            prompt: "Run the regression tests and summarize failures.",
            subagent_type: "general-purpose",
            run_in_background: true,
          }),
        ],
        done,
        done,
      ],
      "Run the regression tests": [[words("All green.")]],
    });
    expect(result).toMatch(/agentId: .*output_file: /);
    expect((await after())[4]).toMatch(/run regression suite.*All green\./);
  });

  test("[LIM-07] an agent that is spoken to again by its name", async () => {
    const { session, requestsOf } = await played({
      "": [
        [
          agent({
            description: "investigate flaky tests",
            prompt: "Investigate flaky tests without editing files yet.",
            subagent_type: "general-purpose",
            name: "flaky-investigator",
            run_in_background: true,
          }),
        ],
        done,
        [
          toolUse("t2", "SendMessage", {
            to: "flaky-investigator",
            message: "Focus on the Windows-only failures and compare the last two runs.",
            summary: "focus Windows failures",
          }),
        ],
        done,
      ],
      "Investigate flaky tests": [[words("Three are flaky.")], [words("One of them on Windows.")]],
    });
    await turn(session, "look closer");
    await settled(session);
    expect(JSON.stringify(requestsOf("Investigate flaky tests")[1]?.messages)).toContain("Windows-only failures");
  });

  test("[LIM-07] a change that is tried out in a worktree", async () => {
    const name = "Implement a candidate fix";
    const { result } = await played(
      {
        "": [
          [
            agent({
              description: "prototype parser fix",
              prompt: `${name} in isolation and report the changed files.`,
              subagent_type: "general-purpose",
              isolation: "worktree",
            }),
          ],
          done,
        ],
        [name]: [[toolUse("u1", "Write", { file_path: "fix.txt", content: "fixed" })], [words("fix.txt")]],
      },
      {
        gates: { agentMode: "acceptEdits" },
        workspaces: {
          async open(slug) {
            const path = join(scratch(), slug);
            mkdirSync(path);
            return placeAt(path, { release: async () => ({ isKept: true }) });
          },
        },
      },
    );
    expect(result).toMatch(/worktreePath: .*agent-a/);
  });

  test("[LIM-07] a fork, where forks are made by leaving out the type", async () => {
    const { requestsOf, result } = await played(
      {
        "": [
          [
            agent({
              description: "scan auth paths",
              prompt: "Analyze the auth flow and report likely race conditions.",
            }),
          ],
          done,
        ],
        "directive: Analyze the auth flow": [[words("None.")]],
      },
      { gates: { isForkEnabled: true, isInteractive: true } },
    );
    expect(requestsOf("directive: Analyze the auth flow")).toHaveLength(1);
    expect(result).toContain("Fork started");
  });

  test("[LIM-07] a command that is done by an agent of its own", async () => {
    const scene = stage({ "": [done], "Audit the authentication flow": [[words("No risk.")]] });
    const directory = join(scene.cwd, ".claude/skills/audit-auth");
    mkdirSync(directory, { recursive: true });
    const lines = ["---", "name: audit-auth", "context: fork", "allowed-tools:", "- Read", "- Grep", "- Glob", "---"];
    writeFileSync(
      join(directory, "SKILL.md"),
      `${lines.join("\n")}\nAudit the authentication flow and return only correctness risks.\n`,
    );
    expect(await opened(scene.deps).submit("/audit-auth")).toContain("No risk.");
  });
});

describe("what the seed says is often misunderstood", () => {
  test("[LIM-05] mode is no permission mode of an ordinary agent", async () => {
    const { asked } = await played({
      "": [[agent({ description: "d", prompt: "task one", mode: "bypassPermissions" })], done],
      "task one": [[toolUse("u1", "Bash", { command: "touch a" })], done],
    });
    expect(asked).toHaveLength(1);
  });

  test("[LIM-05] a fork is not what comes of leaving out the type, where nobody has switched that on", async () => {
    const { requestsOf } = await played({
      "": [[agent({ description: "d", prompt: "task one" })], done],
      "task one": [done],
    });
    expect(requestsOf("task one")[0]?.messages).toHaveLength(1);
  });

  test("[LIM-05] a report in the background is no new result of the call", async () => {
    const { result, after } = await played({
      "": [[agent({ description: "d", prompt: "task one", run_in_background: true })], done, done],
      "task one": [[words("A report.")]],
    });
    const talk = await after();
    expect([talk[2], talk[2]?.includes("A report.")]).toEqual([result, false]);
  });
});

test("[LIM-03] a definition that is written while a session runs is known to the next one", async () => {
  const scene = stage({
    "": [
      [agent({ description: "d", prompt: "task one", subagent_type: "late" })],
      done,
      [agent({ description: "d", prompt: "task one", subagent_type: "late" })],
      done,
    ],
    "task one": [done],
  });
  const session = opened(scene.deps);
  scene.define("late", {});
  expect((await turn(session, "go")).talk[2]).toContain('no agent of the type \\"late\\"');
  await turn(opened(scene.deps), "go");
  expect(scene.requestsOf("task one")).toHaveLength(1);
});
