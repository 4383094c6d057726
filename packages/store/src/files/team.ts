import {
  type EntryDraft,
  inboxOwnerOf,
  leadOf,
  type Member,
  type Read,
  type Task,
  type TeamConfig,
  TroupeError,
} from "@troupe/protocol";
import {
  assertIdle,
  assertRoom,
  assertTeammate,
  type Message,
  memberOf,
  nextColor,
  recipientOf,
  senderOf,
  unusable,
  watchedDirectories,
} from "@troupe/protocol/rules";
import type { Team } from "../store.ts";
import { makeDirectory, namesIn } from "./directory.ts";
import { readBytes, readSettled } from "./document.ts";
import { openInbox } from "./inbox.ts";
import { rewrite } from "./publication.ts";
import type { TaskListDeps } from "./task-list.ts";
import { openTasks } from "./tasks.ts";
import { watchDirectories } from "./watch.ts";

export interface TeamDeps extends TaskListDeps {
  readonly name: string;
  readonly now: () => Date;
  readonly newId: () => string;
}

/** A team whose files are there. */
export function openTeamFiles({ name, layout, codec, now, newId, ...options }: TeamDeps): Team {
  const read = (bytes: Uint8Array | string) => codec.readTeam(bytes, name);
  const inbox = (agent: string) =>
    openInbox({ path: layout.inbox(agent), codec, now: () => now().getTime(), ...options });
  const isMember = async (agent: string) => memberOf(await current(), agent) !== undefined;
  const tasks = openTasks({ layout, codec, isMember, assigned, ...options });

  async function config(): Promise<Read<TeamConfig>> {
    return (await readSettled(layout.config, read)) ?? read("");
  }

  /** The team as it is now; throws `team_unknown` where it is gone. */
  async function current(): Promise<TeamConfig> {
    const found = await readSettled(layout.config, read);
    if (!found) throw new TroupeError("team_unknown", `there is no team ${name} any more: list the teams`, { name });
    if (!found.value) throw unusable(layout.config, found, "unreadable");
    return found.value;
  }

  /** Changes the config under its lock; false when there is nothing to change. */
  const change = (work: (found: Read<TeamConfig>) => object | undefined): Promise<boolean> =>
    rewrite(layout.config, options, () => {
      const document = work(read(readBytes(layout.config) ?? ""));
      return document && codec.write(document);
    });

  async function deliver(from: Member, to: string, content: EntryDraft["content"]): Promise<Message> {
    const entry = codec.newEntry({ from, content, timestamp: now().toISOString(), messageId: newId() });
    makeDirectory(layout.inboxes);
    return inbox(to).append(entry);
  }

  async function assigned({ id, subject = "", description = "" }: Task, owner: string, by?: string): Promise<void> {
    const { value } = await config();
    const from = value && (by === undefined ? leadOf(value) : memberOf(value, by));
    const to = value && memberOf(value, owner);
    if (!from || !to || (from === to && !codec.announcesOwnTasks)) return;
    const told = { taskId: id, subject, description, assignedBy: from.name, timestamp: now().toISOString() };
    await deliver(from, to.name, { body: { type: "task_assignment", ...told } });
  }

  return {
    name,
    form: codec.form,
    tasks,
    inbox,
    config,

    async join(draft) {
      let member!: Member;
      await change((found) => {
        const team = found.value ?? { name, members: [] };
        assertRoom(team);
        member = codec.newTeammate({ ...draft, team: name, color: nextColor(team) });
        return codec.addMember(found, member);
      });
      return member;
    },

    updateMember: (member, patch) => change((found) => codec.amendMember(found, member, patch)),

    leave: (member) =>
      change((found) => {
        if (found.value) assertTeammate(found.value, member);
        return codec.removeMember(found, member);
      }),

    async as(agent) {
      const self = senderOf(await current(), agent);
      return {
        name: self.name,
        inbox: inbox(self.name),
        tasks: { ...tasks, update: (id, change, by = self.name) => tasks.update(id, change, by) },
        send: async (to, content) => deliver(self, recipientOf(await current(), to).name, content),
      };
    },

    watch: (signal) => watchDirectories(watchedDirectories(layout), signal),

    async compact({ evenIfActive = false } = {}) {
      const { value } = await config();
      if (value && !evenIfActive) assertIdle(name, value);
      let dropped = 0;
      for (const file of namesIn(layout.inboxes)) {
        const owner = inboxOwnerOf(file);
        if (owner !== undefined) dropped += await inbox(owner).compact();
      }
      return dropped;
    },
  };
}
