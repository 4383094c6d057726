import { isRecord } from "../record.ts";
import { stemOf, tasks } from "./parts.ts";
import { about, keyFault, orderFault, type Rule, type Subject } from "./rule.ts";

const order = ["id", "subject", "description", "activeForm", "owner", "status", "blocks", "blockedBy", "metadata"];
const required = ["id", "subject", "description", "status", "blocks", "blockedBy"];
const states = ["pending", "in_progress", "completed", "deleted"];

/** Rules about tasks and what they wait for. */
export const taskRules: readonly Rule[] = [
  {
    id: "GRADE-TASK/a",
    title: "the id of a task is a string of digits, and the stem of its file",
    requirements: ["ATP-TSK-001"],
    judge: about(tasks, (part) =>
      part.fields["id"] === stemOf(part) ? undefined : `id is ${JSON.stringify(part.fields["id"])}`,
    ),
  },
  {
    id: "GRADE-TASK/b",
    title: "a task is in one of the four states",
    requirements: ["ATP-TSK-006"],
    judge: about(tasks, ({ fields }) =>
      states.includes(String(fields["status"])) ? undefined : `status is ${JSON.stringify(fields["status"])}`,
    ),
  },
  {
    id: "GRADE-TASK/c",
    title: "a task has both lists",
    requirements: ["ATP-TSK-005"],
    judge: about(tasks, ({ fields }) => (areLists(fields) ? undefined : "blocks and blockedBy are no lists of ids")),
  },
  {
    id: "GRADE-TASK/d",
    title: "a task has all that a real client needs to find it",
    requirements: ["ATP-TSK-109"],
    judge: about(
      tasks,
      ({ fields }) =>
        keyFault(fields, required) ?? (areLists(fields) ? undefined : "blocks and blockedBy are no lists of ids"),
    ),
  },
  {
    id: "GRADE-TASK/e",
    title: "an owner is a bare name",
    requirements: ["ATP-TSK-013"],
    judge: about(tasks, ({ fields }) => {
      const { owner } = fields;
      const isBare = owner === undefined || (typeof owner === "string" && !owner.includes("@"));
      return isBare ? undefined : `owner is ${JSON.stringify(owner)}`;
    }),
  },
  {
    id: "GRADE-TASK/f",
    title: "subject and description are texts, activeForm as well where it is there",
    requirements: ["ATP-TSK-019"],
    judge: about(tasks, ({ fields }) => {
      const wrong = ["subject", "description", "activeForm"].filter(
        (key) => typeof fields[key] !== "string" && !(key === "activeForm" && fields[key] === undefined),
      );
      return wrong.length > 0 ? `${wrong.join(", ")}: no string` : undefined;
    }),
  },
  {
    id: "GRADE-TASK/g",
    title: "no task waits for itself, neither at once nor by way of others",
    requirements: ["ATP-TSK-034"],
    judge: (subject) =>
      subject.taskLists.map(({ name }) =>
        circular(subject, name).map((id) => ({
          path: `tasks/${name}/${id}.json`,
          at: "/blockedBy",
          message: "waits for itself",
        })),
      ),
  },
  {
    id: "GRADE-TASK/h",
    title: "the keys of a task stand in the order of the reference client",
    requirements: ["ATP-TSK-101"],
    // A fresh owner may stand last.
    judge: about(tasks, ({ fields }) =>
      orderFault(
        fields,
        order.filter((key) => key !== "owner"),
      ),
    ),
  },
];

const areLists = ({ blocks, blockedBy }: Readonly<Record<string, unknown>>): boolean =>
  [blocks, blockedBy].every((list) => Array.isArray(list) && list.every((id) => typeof id === "string"));

/** The tasks of a list that wait for themselves. */
function circular(subject: Subject, list: string): readonly string[] {
  const waits = new Map<string, readonly unknown[]>();
  for (const [id, { value }] of subject.taskLists.find(({ name }) => name === list)?.tasks ?? []) {
    const blockers = isRecord(value) && Array.isArray(value["blockedBy"]) ? (value["blockedBy"] as unknown[]) : [];
    waits.set(id, blockers);
  }
  return [...waits.keys()].filter((id) => {
    const seen = new Set<unknown>();
    const open = [...(waits.get(id) ?? [])];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (next === id) return true;
      if (seen.has(next)) continue;
      seen.add(next);
      open.push(...(waits.get(String(next)) ?? []));
    }
    return false;
  });
}
