import { basename } from "node:path";
import {
  type Codec,
  type EntryDraft,
  inboxOwnerOf,
  leadOf,
  type Member,
  nameKey,
  type Task,
  type TeamLayout,
  TroupeError,
  taskIdOf,
} from "@troupe/protocol";
import type { Change, Team } from "../store.ts";
import { makeDirectory, namesIn } from "./directory.ts";
import { type Message, openInbox } from "./inbox.ts";
import type { LockLimits } from "./lock.ts";
import { assertIdle, openRoster } from "./roster.ts";
import { openTasks } from "./tasks.ts";
import { watchDirectories } from "./watch.ts";

export interface TeamDeps {
  readonly name: string;
  readonly layout: TeamLayout;
  readonly codec: Codec;
  readonly limits?: LockLimits;
  readonly isDurable: boolean;
  readonly now: () => Date;
  readonly newId: () => string;
}

/** A team whose files are there. */
export function openTeamFiles({ name, layout, codec, now, newId, ...options }: TeamDeps): Team {
  const roster = openRoster({ name, layout, codec, ...options });
  const inbox = (agent: string) =>
    openInbox({ path: layout.inbox(agent), codec, now: () => now().getTime(), ...options });
  const tasks = openTasks({
    layout,
    codec,
    isMember: async (agent) => find(await roster.members(), agent) !== undefined,
    assigned,
    ...options,
  });

  async function deliver(from: Member, to: string, content: EntryDraft["content"]): Promise<Message> {
    const sender = { name: from.name, color: from.color };
    const entry = codec.newEntry({ from: sender, content, timestamp: now().toISOString(), messageId: newId() });
    makeDirectory(layout.inboxes);
    return inbox(to).append(entry);
  }

  async function assigned(
    { id, subject = "", description = "" }: Task,
    owner: string,
    by: string | undefined,
  ): Promise<void> {
    const { value } = await roster.read();
    const from = by === undefined ? value && leadOf(value) : find(value?.members ?? [], by);
    const to = find(value?.members ?? [], owner);
    if (!from || !to || (from === to && !codec.announcesOwnTasks)) return;
    const told = { taskId: id, subject, description, assignedBy: from.name, timestamp: now().toISOString() };
    await deliver(from, to.name, { body: { type: "task_assignment", ...told } });
  }

  return {
    name,
    form: codec.form,
    tasks,
    inbox,
    config: roster.read,
    join: roster.join,
    updateMember: roster.update,
    leave: roster.leave,

    async as(agent) {
      const self = find(await roster.members(), agent);
      if (!self) throw stranger(name, agent);
      return {
        name: self.name,
        inbox: inbox(self.name),
        tasks: { ...tasks, update: (id, change, by = self.name) => tasks.update(id, change, by) },
        async send(to, content) {
          const members = await roster.members();
          const recipient = find(members, to);
          if (!recipient) throw unknown(name, to, members);
          return deliver(self, recipient.name, content);
        },
      };
    },

    watch(signal) {
      const changes = watchDirectories(
        [
          {
            directory: layout.directory,
            subjectOf: (name) => (name === basename(layout.config) ? "config" : undefined),
          },
          { directory: layout.inboxes, subjectOf: (name) => named("inbox", inboxOwnerOf(name)) },
          { directory: layout.tasks, subjectOf: (name) => named("task", taskIdOf(name)) },
        ],
        signal,
      );
      return Object.assign(described(changes), { return: changes.return });
    },

    async compact({ evenIfActive = false } = {}) {
      if (!evenIfActive) assertIdle(name, (await roster.read()).value);
      let dropped = 0;
      for (const file of namesIn(layout.inboxes)) {
        const owner = inboxOwnerOf(file);
        if (owner !== undefined) dropped += await inbox(owner).compact();
      }
      return dropped;
    },
  };
}

const named = (kind: string, name: string | undefined) => (name === undefined ? undefined : `${kind} ${name}`);

async function* described(subjects: AsyncIterable<string>): AsyncGenerator<Change, undefined> {
  for await (const subject of subjects) {
    const [kind, name = ""] = subject.split(" ");
    if (kind === "config") yield { kind };
    else yield kind === "inbox" ? { kind, name } : { kind: "task", id: name };
  }
}

const find = (members: readonly Member[], name: string): Member | undefined =>
  members.find((member) => nameKey(member.name) === nameKey(name));

const stranger = (team: string, name: string): TroupeError =>
  new TroupeError("member_unknown", `${name} is no member of ${team}: let it join first`, { name });

function unknown(team: string, to: string, members: readonly Member[]): TroupeError {
  const names = members.map(({ name }) => name);
  return new TroupeError("recipient_unknown", `there is no ${to} in ${team}: send to one of ${names.join(", ")}`, {
    to,
    members: names,
  });
}
