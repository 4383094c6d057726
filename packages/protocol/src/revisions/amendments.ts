import { TroupeError } from "../errors.ts";
import { assertGiven } from "../given.ts";
import { isObject } from "../json/is-object.ts";
import { amend } from "../json/write-json.ts";
import { memberName, nameKey } from "../names.ts";
import type { Problem } from "../problems.ts";
import type { Codec } from "./codec.ts";
import { assertPlaced } from "./placement.ts";
import { type DocumentForm, type InboxRead, judge, type Read } from "./read.ts";
import { taskForm, teamForm } from "./readers.ts";
import type { Revision } from "./revision.ts";
import type { WrittenForm } from "./writers.ts";

type Amendments = Pick<
  Codec,
  "append" | "consume" | "amendTeam" | "addMember" | "amendMember" | "removeMember" | "amendTask"
>;

/**
 * The amending part of a codec. It starts from the file's content, so others' errors neither spread
 * nor block.
 */
export function amendmentsOf(revision: Revision, form: WrittenForm): Amendments {
  const team = teamForm(revision);

  const withMembers = (read: Read<unknown>, members: readonly unknown[]): object =>
    sound(read, amend(form.team, documentOf(read), { members }), team);
  const membersOf = (read: Read<unknown>): readonly unknown[] => {
    const { members } = documentOf(read) as { members?: unknown };
    if (members === undefined) return [];
    if (Array.isArray(members)) return members;
    throw unwritable("document", read.problems, "its members are no list");
  };

  return {
    append(read, entries) {
      assertGiven("append", { entries }, { entries: "array" });
      return [...arrayOf(read), ...entries];
    },
    consume(read, positions) {
      assertGiven("consume", { positions }, { positions: "set" });
      return form.consumed(arrayOf(read), positions, new Set(read.positions));
    },

    amendTeam(read, patch) {
      assertGiven("amendTeam", { patch }, { patch: "json" });
      return sound(read, amend(form.team, documentOf(read), patch), team);
    },

    addMember(read, member) {
      assertGiven("addMember", { member }, { member: "json" });
      assertGiven("addMember", member, { name: "string" });
      const members = membersOf(read);
      const isTaken = members.some((one) => nameKey(nameOf(one) ?? "") === nameKey(member.name));
      if (!isTaken) {
        memberName(member.name);
        return withMembers(read, [...members, member]);
      }
      throw new TroupeError("name_taken", `the team has a member called ${member.name}: choose another name`, {
        name: member.name,
      });
    },

    amendMember(read, name, patch) {
      assertGiven("amendMember", { patch }, { patch: "json" });
      const members = membersOf(read);
      const index = members.findIndex((one) => nameOf(one) === name);
      if (index < 0) return undefined;
      const isMoved = Object.hasOwn(patch, "tmuxPaneId") || Object.hasOwn(patch, "backendType");
      assertPlaced(isMoved ? { ...(members[index] as object), ...patch } : patch);
      return withMembers(read, members.with(index, amend(form.member, members[index] as object, patch)));
    },

    removeMember(read, name) {
      const members = membersOf(read);
      const kept = members.filter((one) => nameOf(one) !== name);
      return kept.length < members.length ? amend(form.team, documentOf(read), { members: kept }) : undefined;
    },

    amendTask(read, patch) {
      assertGiven("amendTask", { patch }, { patch: "json" });
      return sound(read, amend(form.task, documentOf(read), patch), taskForm(revision));
    },
  };
}

function arrayOf(read: InboxRead): readonly unknown[] {
  assertGiven("what was read", read, { problems: "array", positions: "array" });
  const { raw, isWritable, problems } = read;
  if (isWritable && Array.isArray(raw)) return raw;
  throw unwritable("inbox", problems, "it is no array");
}

function documentOf(read: Read<unknown>): object {
  assertGiven("what was read", read, { problems: "array" });
  const { raw, isWritable, problems } = read;
  if (isWritable && isObject(raw)) return raw;
  throw unwritable("document", problems, "it is no object");
}

const unwritable = (noun: string, problems: readonly Problem[], otherwise: string): TroupeError =>
  new TroupeError("document_unwritable", `the ${noun} cannot be rewritten: ${problems[0]?.message ?? otherwise}`, {
    problems,
  });

/** The amended document, unless it has a fault that the one it came from did not have. */
function sound<T>(read: Read<unknown>, amended: object, form: DocumentForm<T>): object {
  const before = new Set(judge(read.raw, form).found.map(({ message }) => message));
  const added = judge(amended, form).found.filter(({ message }) => !before.has(message));
  if (added.length === 0) return amended;
  const list = added.map(({ message }) => message).join("; ");
  throw new TroupeError("document_invalid", `the document would not be right: ${list}`, { problems: added });
}

function nameOf(member: unknown): string | undefined {
  const name = (member as { name?: unknown } | null)?.name;
  return typeof name === "string" ? name : undefined;
}
