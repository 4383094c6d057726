import { toolUse as callOf } from "@troupe/fake-anthropic";
import { expect, test } from "vitest";
import { awaited, untilSeen } from "../../../../scripts/awaited.ts";
import { add, company } from "../../test/company.ts";
import { toolUse, words } from "../../test/entries.ts";
import { gone, pidIn } from "../../test/hooked.ts";
import { done, opened, settled, stage, turn } from "../../test/sessions.ts";
import { gate } from "../../test/team.ts";
import type { BackgroundStatus } from "../jobs/background-task.ts";
import type { StartRemote } from "../jobs/remote.ts";
import type { FrozenRequest } from "../model/frozen.ts";

const free = { mode: "bypassPermissions", isBypassAvailable: true } as const;
const stop = (id: string, task_id: unknown) => toolUse(id, "TaskStop", { task_id });
const look = (id: string, task_id: unknown, block = false) => toolUse(id, "TaskOutput", { task_id, block });
const said = ({ messages }: FrozenRequest) => JSON.stringify(messages);
const agentIn = (request: FrozenRequest) => /agentId: (a[0-9a-f]{16})/.exec(said(request))?.[1];
const shellIn = (request: FrozenRequest) => /(b[0-9a-f]{16})/.exec(said(request))?.[1];

/** Another machine, with an agent that works until it is told to stop or to report. */
function machine() {
  const asked: object[] = [];
  const stops: string[] = [];
  const over = gate();
  let status: BackgroundStatus = "running";
  const end = (how: BackgroundStatus) => {
    status = how;
    over.open();
  };
  const remote: StartRemote = async (task) => {
    asked.push(task);
    return {
      id: "r77",
      sessionUrl: "https://example.org/session/77",
      outputFile: "/out/r77",
      status: () => status,
      output: () => "It is far away.",
      ended: over.opened,
      async stop() {
        stops.push("r77");
        end("killed");
      },
    };
  };
  return { remote, asked, stops, end };
}

test("[TASKCTL-07] [TASKCTL-06] TaskStop aborts an agent, kills a shell and asks the other machine to stop its agent, and refuses what does not run", async () => {
  const { remote, stops } = machine();
  const signals: AbortSignal[] = [];
  const { deps, cwd } = stage(
    {
      "": (request, nth) =>
        [
          [
            toolUse("t1", "Agent", { description: "look", prompt: "task one", run_in_background: true }),
            toolUse("t2", "Bash", { command: "echo $$ > pid; exec sleep 60", run_in_background: true }),
            toolUse("t3", "Agent", { description: "far", prompt: "task far", isolation: "remote" }),
            toolUse("t4", "Bash", { command: "until [ -s pid ]; do sleep 0.01; done" }),
          ],
          [stop("s1", agentIn(request)), stop("s2", shellIn(request)), stop("s3", "r77")],
          [stop("s4", agentIn(request)), stop("s5", shellIn(request)), stop("s6", "r77"), stop("s7", "r78")],
        ][nth] ?? done,
      "task one": [done],
    },
    { remote, gates: { isRemoteEnabled: true }, ...free },
  );
  const model: typeof deps.model = async function* (request, signal) {
    if (JSON.stringify(request.messages[0]).includes("task one")) {
      signals.push(signal);
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
    }
    yield* deps.model(request, signal);
  };
  const session = opened({ ...deps, model });
  const { talk } = await turn(session, "go");
  expect(talk[4]?.match(/"message\\":\\"Stopped task/g)).toHaveLength(3);
  for (const type of ["local_agent", "local_bash", "remote_agent"])
    expect(talk[4]).toContain(`\\"task_type\\":\\"${type}\\"`);
  expect(talk[6]?.match(/does not run: it is killed/g)).toHaveLength(3);
  expect(talk[6]).toContain("There is no task r78");
  expect([signals.map(({ reason }) => reason), stops]).toEqual([["task_stop"], ["r77"]]);
  await gone(pidIn(cwd, "pid"));
  await settled(session);
  expect(session.queue.waiting()).toEqual([]);
});

test("[TASKCTL-01] TaskOutput looks at each kind, and tells how each ended", async () => {
  const { remote, end } = machine();
  const { deps } = stage(
    {
      "": (request, nth) =>
        [
          [
            toolUse("t1", "Agent", { description: "look", prompt: "task one", run_in_background: true }),
            toolUse("t2", "Bash", { command: "echo from the shell", run_in_background: true }),
            toolUse("t3", "Agent", { description: "far", prompt: "task far", isolation: "remote" }),
          ],
          [look("o1", agentIn(request), true), look("o2", shellIn(request), true), look("o3", "r77")],
        ][nth] ?? done,
      "task one": [[words("The attic is empty.")]],
    },
    { remote, gates: { isRemoteEnabled: true }, ...free },
  );
  const session = opened(deps);
  const { talk } = await turn(session, "go");
  const states = [...(talk[4] ?? "").matchAll(/<task_type>(\w+)<.*?<status>(\w+)<.*?<output>\\n(.*?)\\n</g)];
  expect(states.map(([, ...facts]) => facts)).toEqual([
    ["local_agent", "completed", "The attic is empty."],
    ["local_bash", "completed", "from the shell"],
    ["remote_agent", "running", "It is far away."],
  ]);
  end("completed");
  await untilSeen("the end of the remote agent in the queue", () => session.queue.waiting().length > 0);
  const after = (await turn(session)).talk.join();
  expect(after).toMatch(
    /<task-id>r77<.*<output-file>\/out\/r77<.*<status>completed<.*Remote agent \\"far\\" completed.*It is far away/,
  );
});

test("[ROUTE-22] [RES-04] an agent on another machine is launched with its task, and the result says where it can be watched", async () => {
  const { remote, asked } = machine();
  const far = toolUse("t1", "Agent", { description: "port the build", prompt: "Port it.", isolation: "remote" });
  const open = (deps: object) => {
    const { deps: usual } = stage({ "": [[far], done] }, { gates: { isRemoteEnabled: true }, ...deps });
    return opened(usual);
  };
  const session = open({ remote });
  const { talk } = await turn(session, "go");
  expect(asked).toMatchObject([{ description: "port the build", prompt: "Port it." }]);
  expect(talk[2]).toMatch(/taskId: r77.*session_url: https:\/\/example.org\/session\/77.*output_file: \/out\/r77/);
  expect(talk[2]).toContain("notification of the remote task: wait for it");
  expect((await turn(open({}), "go")).talk[2]).toContain("no other machine is there to work on");
  const refusing = open({ remote: () => Promise.reject(new Error("the other machine is off")) });
  expect((await turn(refusing, "go")).talk[2]).toContain("the other machine is off");
});

test("[TASKCTL-07] [TASKCTL-05] a teammate is looked at and stopped by its name or id as other work is, leaves the roster, and is gone", async () => {
  const begun = gate();
  const scene = await company(
    {
      "": (_, nth) =>
        [
          [callOf("TeamCreate", { team_name: "crew" })],
          [add("ann", { team_name: "crew" }), add("ben", { team_name: "crew" })],
          "Both are at work.",
          [
            callOf("TaskOutput", { task_id: "ann", block: false }),
            callOf("TaskStop", { task_id: "ann@crew" }),
            callOf("TaskStop", { task_id: "ann" }),
          ],
        ][nth] ?? "Done.",
      ann: () => {
        begun.open();
        return new Promise(() => {});
      },
    },
    free,
  );
  const { lead } = scene;
  await turn(lead, "go");
  await awaited("ann at work", begun.opened);
  const [output, stopped, again] =
    (await turn(lead, "stop ann")).talk
      .find((one) => one.includes("<task_type>"))
      ?.split("tool_use_id")
      .slice(1) ?? [];
  expect(output).toMatch(/<task_type>in_process_teammate<.*<status>running<.*It is working/);
  expect(stopped).toContain('\\"task_id\\":\\"ann\\"');
  expect(again).toMatch(/does not run: it is killed/);
  const names = ((await lead.membership()?.team.config())?.value?.members ?? []).map(({ name }) => name);
  expect(names).toEqual(["team-lead", "ben"]);
  expect(scene.sessions.get("ann")?.jobs.running()).toEqual([]);
});
