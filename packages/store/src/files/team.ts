import {
  assertWritable,
  type EntryDraft,
  type Form,
  type InboxEntry,
  inboxOwnerOf,
  type Member,
  type Read,
  type Task,
  type TeamConfig,
  TroupeError,
} from "@troupe/protocol";
import {
  assertIdle,
  assertTeammate,
  defaultLimits,
  type Message,
  memberOf,
  nextColor,
  recipientOf,
  senderOf,
  unusable,
  watchedDirectories,
} from "@troupe/protocol/rules";
import { assignmentOf } from "../assignment.ts";
import { checkedTeam } from "../checked.ts";
import { tasksOf } from "../participant-tasks.ts";
import { teamGone } from "../refusals.ts";
import type { Stamp, Team } from "../store.ts";
import { deliver, mailIn } from "./delivery.ts";
import { attempt, namesIn } from "./directory.ts";
import { readBytes, readSettled, stampOf } from "./document.ts";
import { recordEvent } from "./events.ts";
import { eventsIn } from "./history.ts";
import { openInbox, receive } from "./inbox.ts";
import { joinOnce } from "./join-once.ts";
import { keptUnder, ownOfTeam } from "./own-directory.ts";
import { rewrite } from "./publication.ts";
import type { TaskListDeps } from "./task-list.ts";
import { openTasks } from "./tasks.ts";
import { watchDirectories } from "./watch.ts";

export interface TeamDeps extends TaskListDeps {
  readonly name: string;
  readonly now: () => Date;
  readonly newId: () => string;
  /** Fires when the store is closed. */
  readonly closing?: AbortSignal | undefined;
  /** What is known of configs, by their path: hundreds of members may ask of one. */
  readonly configs?: Map<string, KnownConfig>;
}

/** A config as it was read, and the stamp of its file then. */
export interface KnownConfig {
  readonly stamp: string;
  readonly form: Form;
  readonly value: TeamConfig;
}

/** A team whose files are there. */
export function openTeamFiles({ name, layout, codec, now, newId, ...deps }: TeamDeps): Team {
  const { closing = unending(), configs = new Map(), ...options } = deps;
  const read = (bytes: Uint8Array | string) => codec.readTeam(bytes, name);
  const inboxDeps = (agent: string) => ({
    path: layout.inbox(agent),
    codec,
    now: () => now().getTime(),
    ...options,
  });
  const isMember = async (agent: string) => memberOf(await current(), agent) !== undefined;
  const own = async () => ({ place: ownOfTeam(layout, name, await current()), stamp: freshStamp() });
  const tasks = openTasks({ layout, codec, isMember, assigned, own, ...options });
  const until = (signal: AbortSignal | undefined) => (signal ? AbortSignal.any([signal, closing]) : closing);

  function timestamp(): string {
    const at = now();
    if (at instanceof Date && !Number.isNaN(at.getTime())) return at.toISOString();
    throw new TroupeError("arguments_invalid", "now of openFileStore gives no time: let it give a Date", {
      field: "now",
    });
  }

  const freshStamp = (): Stamp => ({ at: timestamp(), id: newId() });

  async function config(): Promise<Read<TeamConfig>> {
    return (await readSettled(layout.config, read)) ?? read("");
  }

  /**
   * The team as it is now, parsed again only where its file has changed; nobody changes what it
   * gives. Throws `team_unknown` where the team is gone.
   */
  async function current(): Promise<TeamConfig> {
    const stamp = stampOf(layout.config);
    const known = configs.get(layout.config);
    if (known !== undefined && known.stamp === stamp && known.form === codec.form) return known.value;
    const found = await readSettled(layout.config, read);
    if (!found) throw teamGone(name);
    const { value } = found;
    if (!value) throw unusable(layout.config, found, "unreadable");
    if (stamp !== undefined && stamp === stampOf(layout.config))
      configs.set(layout.config, { stamp, form: codec.form, value });
    else configs.delete(layout.config);
    return value;
  }

  /** Does the work; where it failed since the team is gone, the error is `team_unknown`. */
  const unlessGone = <T>(work: () => Promise<T>): Promise<T> =>
    work().catch(async (error: unknown) => {
      if (!(await readSettled(layout.config, read))) await current();
      throw error;
    });

  /** Changes the config under its lock; false when there is nothing to change. */
  const change = (work: (found: Read<TeamConfig>) => object | undefined): Promise<boolean> =>
    unlessGone(() =>
      rewrite(layout.config, options, () => {
        const document = work(read(readBytes(layout.config) ?? ""));
        return document && codec.write(document);
      }),
    );

  const deliverTo = (
    from: Member,
    to: string,
    content: EntryDraft["content"],
    stamp?: Stamp,
    kept?: ReturnType<typeof keptUnder<InboxEntry>>,
  ): Promise<Message> =>
    unlessGone(() => deliver(inboxDeps(to), from, content, stamp ?? freshStamp(), kept ?? stamp !== undefined));

  async function assigned(task: Task, owner: string, by?: string, stamp?: Stamp): Promise<void> {
    const { value } = await config();
    const told = value && assignmentOf(task, { team: value, codec, owner, by, at: stamp?.at ?? timestamp() });
    if (told) await deliverTo(told.from, told.to.name, told.content, stamp);
  }

  return checkedTeam(closing, {
    name,
    form: codec.form,
    tasks,
    config,
    mail: (agent) => mailIn(inboxDeps(agent)),

    async join(draft, { once } = {}) {
      const joining = (found: Read<TeamConfig>) => {
        const team = found.value ?? { name, members: [] };
        const member = codec.newTeammate({ ...draft, team: name, color: nextColor(team) });
        return { member, document: codec.addMember(found, member) };
      };
      if (once !== undefined) return joinOnce({ name, layout, codec, once, joining, ...options });
      let joined!: Member;
      await change((found) => {
        const { member, document } = joining(found);
        joined = member;
        return document;
      });
      return joined;
    },

    async claim(leadProcess) {
      if (codec.form !== "2026-11") return false;
      return change((found) => codec.amendTeam(found, { leadProcess }));
    },

    updateMember: (member, patch) => change((found) => codec.amendMember(found, member, patch)),

    leave: (member) =>
      change((found) => {
        if (found.value) assertTeammate(found.value, member);
        return codec.removeMember(found, member);
      }),

    async as(agent) {
      const found = await current();
      const self = senderOf(found, agent);
      const log = ownOfTeam(layout, name, found);
      const record = (event: object) => recordEvent(log, { at: timestamp(), by: self.name, event }, options.isDurable);
      return {
        name: self.name,
        tasks: tasksOf(self.name, tasks, record),
        async send(to, content, stamp, { once } = {}) {
          const { name: recipient } = recipientOf(await current(), to);
          const key = once === undefined ? undefined : JSON.stringify(["send", self.name, recipient, once]);
          const kept = key === undefined ? undefined : keptUnder<InboxEntry>(log, key);
          const message = await deliverTo(self, recipient, content, stamp, kept);
          // The message stands: what is wrong with the record is no failure to send it.
          attempt(() => record({ kind: "message", to: recipient, key: message.key }));
          return message;
        },
        async receive(wish) {
          // Who takes mail must say so in the file, and a lease leaves traces beside it.
          assertWritable(codec.form);
          const { limits = defaultLimits, ...inbox } = inboxDeps(self.name);
          return receive({ ...inbox, limits: { ...limits, ...wish }, closing });
        },
        record: async (event) => record(event),
      };
    },

    watch: (signal) => watchDirectories(watchedDirectories(layout), until(signal)),

    async compact({ evenIfActive = false } = {}) {
      const { value } = await config();
      if (value && !evenIfActive) assertIdle(name, value);
      let dropped = 0;
      for (const file of namesIn(layout.inboxes)) {
        const owner = inboxOwnerOf(file);
        if (owner !== undefined) dropped += await openInbox(inboxDeps(owner)).compact();
      }
      return dropped;
    },

    history(after, signal) {
      const { value = {} } = read(readBytes(layout.config) ?? "");
      return eventsIn(ownOfTeam(layout, name, value), after, signal && until(signal));
    },
  });
}

const unending = (): AbortSignal => new AbortController().signal;
