import type { CheckContext } from "../check.ts";
import { makeTasks, makeTeam } from "../checks/teams.ts";
import { checkFailure } from "../fault.ts";
import type { Params } from "../target.ts";
import {
  demand,
  entriesAt,
  type Fields,
  foreignEntry,
  membersAt,
  placesOf,
  replace,
  taskAt,
  taskIdsIn,
  textsIn,
} from "./documents.ts";

/** A call, the document it changes, and what another program does to it while holding the lock. */
export interface Encounter {
  readonly method: string;
  readonly params: Params;
  /** The document whose lock the call must take. */
  readonly file: string;
  /** The change that another program makes under the lock. */
  edit(): void;
  /** Both changes, once each; a complaint where one is missing. */
  assertBoth(): void;
  /** The state that the call would change: the text of a file, or the names in a directory. */
  state(): string;
}

export const encounterMethods = [
  "team.create",
  "member.add",
  "member.update",
  "task.create",
  "task.update",
  "inbox.append",
  "inbox.read",
  "inbox.markRead",
];

/** Two inboxes with a message each, three tasks, two members. */
export async function prepareEncounters(context: CheckContext): Promise<readonly Encounter[]> {
  const { team } = await makeTeam(context, ["alice", "bob"]);
  const [changed = "", deleted = "", kept = ""] = await makeTasks(context, team, 3);
  for (const agent of ["alice", "bob"]) {
    await context.ok("inbox.append", { team, agent, from: "team-lead", text: "Start with the grammar." });
  }
  const { messages } = (await context.ok("inbox.read", { team, agent: "bob" })) as { messages: { key?: string }[] };
  const keys = messages.flatMap(({ key }) => key ?? []);
  const places = placesOf(context);
  const { inbox, config, list, task } = places;
  const isPruned = context.revision === "2026-11";
  const addEntry = (path: string) => () =>
    replace(path, [...entriesAt(context, path), foreignEntry("Meanwhile, from another program.")]);
  const texts = (agent: string) => textsIn(entriesAt(context, inbox(agent)));
  const unread = () => entriesAt(context, inbox("bob")).filter(({ read }) => read !== true);
  const text = (path: string) => () => JSON.stringify(demand(context, path));
  const document = (id: string) => taskAt(context, task(id));
  const assertSame = (what: string, actual: unknown, expected: unknown) => {
    if (JSON.stringify(actual) === JSON.stringify(expected)) return;
    throw checkFailure(`${what} after another program changed it under its lock`, { expected, actual });
  };

  return [
    {
      method: "inbox.append",
      params: { team, agent: "alice", from: "bob", text: "Found 214 rules." },
      file: inbox("alice"),
      edit: addEntry(inbox("alice")),
      state: text(inbox("alice")),
      assertBoth: () =>
        assertSame("an inbox is other than it should be", texts("alice"), [
          "Start with the grammar.",
          "Meanwhile, from another program.",
          "Found 214 rules.",
        ]),
    },
    {
      method: "inbox.markRead",
      params: { team, agent: "bob", ...(keys.length > 0 && { keys }) },
      file: inbox("bob"),
      edit: addEntry(inbox("bob")),
      state: text(inbox("bob")),
      assertBoth() {
        // Without keys it is for the target to say whether what came meanwhile was read.
        if (keys.length > 0) {
          const left = ["Meanwhile, from another program."];
          assertSame("what waits in an inbox is other than it should be", textsIn(unread()), left);
        }
        if (!isPruned) assertSame("the length of an inbox is other than it should be", texts("bob").length, 2);
      },
    },
    {
      method: "task.update",
      params: { team, id: changed, subject: "Read the grammar" },
      file: task(changed),
      edit: () => replace(task(changed), { ...document(changed), description: "As another program says" }),
      state: text(task(changed)),
      assertBoth() {
        const { subject, description } = document(changed);
        const expected = { subject: "Read the grammar", description: "As another program says" };
        assertSame("a task is other than it should be", { subject, description }, expected);
      },
    },
    {
      method: "member.update",
      params: { team, name: "alice", set: { model: "opus" } },
      file: config,
      edit() {
        const found = demand(context, config) as Fields;
        const bob = membersAt(context, config).map((member) =>
          member["name"] === "bob" ? { ...member, model: "haiku" } : member,
        );
        replace(config, { ...found, members: bob });
      },
      state: text(config),
      assertBoth() {
        const models = membersAt(context, config)
          .slice(1)
          .map(({ model }) => model);
        assertSame("members are other than they should be", models, ["opus", "haiku"]);
      },
    },
    {
      method: "task.create",
      params: { team, subject: "Made here", description: "d" },
      file: list,
      edit: () => replace(task("4"), { ...document(kept), id: "4", subject: "Made elsewhere" }),
      state: () => taskIdsIn(places.tasks).join(),
      assertBoth() {
        const subjects = ["4", "5"].map((id) => document(id)["subject"]);
        assertSame("the tasks are other than they should be", subjects, ["Made elsewhere", "Made here"]);
      },
    },
    {
      method: "task.update",
      params: { team, id: deleted, status: "deleted" },
      file: list,
      edit: () => {},
      state: () => taskIdsIn(places.tasks).join(),
      assertBoth: () => assertSame("a task is there", taskIdsIn(places.tasks).includes(deleted), false),
    },
  ];
}
