import type { Check, CheckContext } from "../check.ts";
import { defaultParams, makeTeam } from "../checks/teams.ts";
import { entriesAt, membersAt, type Places, placesOf, taskAt, taskIdsIn, textsIn } from "../concurrency/documents.ts";
import { checkFailure } from "../fault.ts";
import type { Params } from "../target.ts";

/** A call, and whether what it does is on disk. */
interface Deed {
  readonly method: string;
  readonly params: Params;
  isThere(result: Readonly<Record<string, unknown>>): boolean;
}

function deedsOf(context: CheckContext, team: string, places: Places, round: number): readonly Deed[] {
  const text = `Message ${round}`;
  const name = `m${round}`;
  const modelOf = (member: string) =>
    membersAt(context, places.config).find((one) => one["name"] === member)?.["model"];
  const model = `model-${round}`;
  return [
    {
      method: "inbox.append",
      params: { team, agent: "alice", from: "bob", text },
      isThere: () => textsIn(entriesAt(context, places.inbox("alice"))).includes(text),
    },
    {
      method: "inbox.markRead",
      params: { team, agent: "alice" },
      isThere: () => entriesAt(context, places.inbox("alice")).every(({ read }) => read === true),
    },
    {
      method: "task.create",
      params: { team, subject: name, description: "d" },
      isThere: ({ id }) =>
        taskIdsIn(places.tasks).includes(String(id)) && taskAt(context, places.task(String(id)))["subject"] === name,
    },
    {
      method: "task.update",
      params: { team, id: "1", activeForm: text },
      isThere: () => taskAt(context, places.task("1"))["activeForm"] === text,
    },
    {
      method: "member.update",
      params: { team, name: "alice", set: { model } },
      isThere: () => modelOf("alice") === model,
    },
    ...(round % 10 === 0
      ? [
          {
            method: "member.add",
            params: { ...defaultParams["member.add"], team, name },
            isThere: () => modelOf(name) !== undefined,
          },
        ]
      : []),
  ];
}

export const acknowledgedIsThere: Check = {
  id: "KILL-ACK/a",
  title: "what was acknowledged is on disk, though the process never runs again",
  requirements: ["ATP-LCK-012"],
  level: "L2",
  revisions: ["2026-02", "2026-11"],
  needs: {
    methods: [
      "team.create",
      "member.add",
      "member.update",
      "task.create",
      "task.update",
      "inbox.append",
      "inbox.markRead",
    ],
  },
  async run(context) {
    const { team } = await makeTeam(context, ["alice", "bob"]);
    const places = placesOf(context);
    const rounds = context.isQuick ? 30 : 300;
    const [proc] = await context.start(1);
    for (let round = 1; proc && round <= rounds; round += 1) {
      for (const { method, params, isThere } of deedsOf(context, team, places, round)) {
        const result = await context.ok(method, params, proc);
        // Stopped at its answer, and killed in its sleep if the answer came too early.
        proc.pause();
        if (isThere(result)) {
          proc.resume();
          continue;
        }
        await proc.kill();
        throw checkFailure(`${method} was acknowledged, its process was killed, and nothing of it is on disk`, {
          call: { method, params },
          actual: result,
        });
      }
    }
    return { rounds };
  },
};
