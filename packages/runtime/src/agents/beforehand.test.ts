import { existsSync } from "node:fs";
import { join } from "node:path";
import type { CallQuestion } from "@troupe/team";
import { expect, test } from "vitest";
import { toolUse } from "../../test/entries.ts";
import { done, opened, settled, stage, turn } from "../../test/sessions.ts";

const revisions = ["2026-02", "2026-11"] as const;
const write = (id: string, file_path: string) => toolUse(id, "Write", { file_path, content: "x" });
const shell = (id: string, command: string) => toolUse(id, "Bash", { command });

/** An agent in the background that writes and runs, and what it and its session did, in order. */
async function worked(
  revision: (typeof revisions)[number],
  isAskedBeforehand: boolean,
  answer: (question: CallQuestion) => boolean,
) {
  const steps: string[] = [];
  const { deps, cwd, define, requestsOf } = stage(
    {
      "": [
        [
          toolUse("t1", "Agent", {
            description: "look",
            prompt: "task one",
            subagent_type: "hand",
            run_in_background: true,
          }),
        ],
      ],
      "task one": (_, nth) => {
        if (nth === 0) steps.push("begins");
        return [[write("u1", "a.txt"), shell("u2", "touch b.txt"), shell("u3", "rm -rf ~")]][nth] ?? done;
      },
    },
    {
      revision,
      gates: { isAskedBeforehand },
      ask: async (question) => {
        steps.push(
          `${question.tool}, ${question.from?.name}${JSON.stringify(question.input) === "{}" ? "" : ", a call"}`,
        );
        return answer(question) ? { behavior: "allow" } : { behavior: "deny", message: "the user said no" };
      },
    },
  );
  define("hand", { tools: ["Read", "Write", "Bash"] });
  const session = opened(deps);
  await turn(session, "go");
  await settled(session);
  const files = ["a.txt", "b.txt"].map((name) => existsSync(join(cwd, name)));
  return { steps, files, told: JSON.stringify(requestsOf("task one")[1]?.messages) };
}

const isRemoval = ({ input }: CallQuestion) => JSON.stringify(input).includes("rm -rf");

test.each(revisions)(
  "[ASYNC-13] in %s what an agent may need is asked for before it begins in the background, and holds for its calls, but for what is always asked about",
  async (revision) => {
    const { steps, files, told } = await worked(revision, true, (question) => !isRemoval(question));
    expect(steps).toEqual(["Write, hand", "Bash, hand", "begins", "Bash, hand, a call"]);
    expect(files).toEqual([true, true]);
    expect(told).toContain("the user said no");
    const denied = await worked(revision, true, ({ tool }) => tool !== "Bash");
    expect(denied.steps.slice(0, 3)).toEqual(["Write, hand", "Bash, hand", "begins"]);
    expect(denied.files).toEqual([true, false]);
    expect(denied.told).toContain("it was denied before the agent began");
  },
);

test.each(revisions)(
  "[ASYNC-13] in %s, where that is not asked for, the person is asked while the agent works in the background, about each call",
  async (revision) => {
    const { steps, files } = await worked(revision, false, (question) => !isRemoval(question));
    expect(steps).toEqual(["begins", "Write, hand, a call", "Bash, hand, a call", "Bash, hand, a call"]);
    expect(files).toEqual([true, true]);
  },
);
