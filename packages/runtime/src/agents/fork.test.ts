import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { toolUse, words } from "../../test/entries.ts";
import { done, opened, settled, stage, turn } from "../../test/sessions.ts";
import { forkPlaceholder } from "../journal/fork.ts";
import { prefixHashes } from "../model/frozen.ts";

const fork = (id: string, prompt: string) => toolUse(id, "Agent", { description: `${prompt} it`, prompt });
const gates = { isForkEnabled: true, isInteractive: true };
const write = (id: string, file_path: string) => toolUse(id, "Write", { file_path, content: "x" });

test("[FORK-01] [FORK-05] [FORK-23] forks begin with their parent's bytes, work in the background, and are heard of when they end", async () => {
  const { deps, requests, requestsOf } = stage(
    {
      "": [[fork("t1", "split one"), fork("t2", "split two")], done, done],
      "directive: split one": [[words("one is done")]],
      "directive: split two": [[words("two is done")]],
    },
    { gates },
  );
  const session = opened(deps);
  const { talk } = await turn(session, "go");
  expect(talk[2]?.match(new RegExp(forkPlaceholder, "g"))).toHaveLength(2);
  expect(talk[2]).toMatch(/The fork \\"split one it\\" works in the background.*agentId: a[0-9a-f]{16}.*output_file/);
  await settled(session);
  await turn(session);
  expect(JSON.stringify(requests.at(-1)?.messages)).toMatch(/one is done.*two is done/);
  const [one, two] = ["directive: split one", "directive: split two"].map((word) => requestsOf(word)[0]);
  if (!one || !two || !requests[0]) throw new Error("no request");
  const shared = prefixHashes(one).slice(0, -1);
  expect(shared).toEqual(prefixHashes(two).slice(0, -1));
  expect(shared.slice(0, prefixHashes(requests[0]).length)).toEqual(prefixHashes(requests[0]));
});

test("[PERM-10] [PERM-18] [FORK-15] a fork has its parent's tools and works under its permissions as they are by then; what it asks bubbles up with its badge", async () => {
  const { deps, cwd, asked, requests, requestsOf } = stage(
    {
      "": [[fork("t1", "split one")], done],
      "directive: split one": (_, nth) =>
        [[write("u1", join(cwd, "a.txt"))], [write("u2", join(cwd, "b.txt"))]][nth] ?? done,
    },
    {
      gates,
      ask: async (question) => {
        asked.push(question);
        session.permissions.setMode("acceptEdits");
        return { behavior: "deny", message: "not this one" };
      },
    },
  );
  const session = opened(deps);
  await turn(session, "go");
  await settled(session);
  expect(asked).toMatchObject([{ tool: "Write", from: { name: "split one it" } }]);
  expect(requestsOf("directive: split one")[0]?.tools).toEqual(requests[0]?.tools);
  expect(["a.txt", "b.txt"].map((name) => existsSync(join(cwd, name)))).toEqual([false, true]);
});

test("[FORK-23] the report of an agent's fork is the agent's to hear, and so is where the fork works", async () => {
  let letGo = () => {};
  const free = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const { deps, requestsOf } = stage(
    {
      "": [[toolUse("t1", "Agent", { description: "ask it", prompt: "task one", run_in_background: false })], done],
      "directive: split one": [[words("one is done")]],
      "task one": [
        [toolUse("u1", "Agent", { description: "split it", prompt: "split one", subagent_type: "fork" })],
        [words("I wait.")],
        [words("All is done.")],
      ],
    },
    {
      revision: "2026-11",
      onEvent: (event) =>
        void (
          event.agent &&
          event.kind === "entry" &&
          JSON.stringify(event.entry).includes("I wait.") &&
          setImmediate(letGo)
        ),
    },
  );
  const model: typeof deps.model = async function* (request, signal) {
    const isFork = JSON.stringify(request.messages).includes("directive: split one");
    const isAborted = new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
    for await (const event of deps.model(request, signal)) {
      yield event;
      if (isFork) await Promise.race([free, isAborted]);
    }
  };
  const session = opened({ ...deps, model });
  const { talk } = await turn(session, "go");
  const [, second, third] = requestsOf("task one").map(({ messages }) => messages.at(-1)?.blocks.join());
  expect(second).toContain('The fork \\"split it\\" works in the background');
  expect(third).toContain("one is done");
  expect(talk[2]).toContain("All is done.");
  expect(session.queue.waiting()).toEqual([]);
});

test("[PERM-18] nothing but a fork can work in the mode bubble", async () => {
  const { deps, define, trust, cwd, asked } = stage(
    {
      "": [[toolUse("t1", "Agent", { description: "d", prompt: "task one", subagent_type: "bubbler" })], done],
      "task one": (_, nth) => (nth === 0 ? [write("u1", join(cwd, "a.txt"))] : done),
    },
    { settings: { permissions: { defaultMode: "bubble" } } },
  );
  define("bubbler", { permissionMode: "bubble" });
  trust();
  const session = opened(deps);
  expect(session.problems.join("\n")).toMatch(/defaultMode[\s\S]*bubbler\.md/);
  expect(session.permissions.mode()).toBe("default");
  expect(await session.permissions.apply([{ type: "setMode", mode: "bubble", destination: "session" }])).toEqual([
    expect.stringContaining("bubble"),
  ]);
  session.permissions.setMode("acceptEdits");
  await turn(session, "go");
  expect(asked).toHaveLength(1);
});

test("[PERM-04] [FORK-18] [FORK-20] a fork has the Agent tool and starts nobody with it", async () => {
  const { deps, requestsOf } = stage(
    {
      "": [[fork("t1", "split one")], done],
      "directive: split one": [[fork("u1", "split two")], done],
    },
    { gates },
  );
  const session = opened(deps);
  await turn(session, "go");
  await settled(session);
  expect(requestsOf("directive: split one")[0]?.tools.some((tool) => tool.includes('"name":"Agent"'))).toBe(true);
  expect(JSON.stringify(requestsOf("directive: split one")[1]?.messages)).toContain("a fork does its task itself");
  expect(session.jobs.all()).toHaveLength(1);
});

test("[FORK-21] a fork is told to do the work itself", async () => {
  const { deps, requestsOf } = stage(
    { "": [[fork("t1", "split one")], done], "directive: split one": [done] },
    { gates },
  );
  const session = opened(deps);
  await turn(session, "go");
  await settled(session);
  expect(requestsOf("directive: split one")[0]?.messages.at(-1)?.blocks.at(-1)).toMatch(
    /Do the task yourself.*do not start further agents/,
  );
});
