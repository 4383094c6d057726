import { mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import {
  codecFor,
  detectForm,
  type InboxEntry,
  inboxOwnerOf,
  isTeamName,
  type Layout,
  layoutOf,
  leadOf,
  nameKey,
  readJson,
  TroupeError,
  teamName,
} from "@troupe/protocol";
import type { NewTeam, Participant, Store, Team } from "../store.ts";
import { publish, readBytes, readSettled } from "./document.ts";
import { openInbox } from "./inbox.ts";
import { type LockLimits, withLock } from "./lock.ts";
import { openRoster } from "./roster.ts";
import { openTasks } from "./tasks.ts";

export interface FileStoreDeps {
  /** The directory that holds `teams/` and `tasks/`. */
  readonly root: string;
  readonly limits?: LockLimits;
  /** Survive a power cut, not only the death of this process. */
  readonly isDurable?: boolean;
  readonly now?: () => Date;
  readonly newId?: () => string;
}

/** The embedded store: the files of the protocol, safe beside the real client and every other that keeps to the same locks. */
export function openFileStore({
  root,
  limits,
  isDurable = false,
  now = () => new Date(),
  newId = () => crypto.randomUUID(),
}: FileStoreDeps): Store {
  const layout = layoutOf(root);
  const options = { isDurable, ...(limits && { limits }) };

  function open(name: string, config: Uint8Array): Team {
    const paths = layout.team(name);
    const form = detectForm(config, inboxTexts(paths.inboxes, paths.inbox));
    if (form === undefined) throw unreadable(paths.config);
    const codec = codecFor(form);
    const roster = openRoster({ name, layout: paths, codec, ...options });
    const inboxOf = (agent: string) =>
      openInbox({ path: paths.inbox(agent), codec, now: () => now().getTime(), ...options });
    const memberOf = async (agent: string) =>
      (await roster.read()).value?.members.find((member) => nameKey(member.name) === nameKey(agent));

    async function deliver(
      from: { name: string; color?: string | undefined },
      to: string,
      content: Parameters<Participant["send"]>[1],
    ): Promise<InboxEntry> {
      const entry = codec.newEntry({ from, content, timestamp: now().toISOString(), messageId: newId() });
      mkdirSync(paths.inboxes, { recursive: true });
      await inboxOf(to).append(entry);
      return entry;
    }

    const team: Team = {
      name,
      form,
      tasks: openTasks({
        layout: paths,
        codec,
        isMember: async (agent) => (await memberOf(agent)) !== undefined,
        ...options,
      }),
      config: () => roster.read(),
      join: (draft) => roster.join(draft),
      updateMember: (member, patch) => roster.update(member, patch),
      leave: (member) => roster.leave(member),

      async as(agent) {
        const self = await memberOf(agent);
        if (!self)
          throw new TroupeError("member_unknown", `${agent} is no member of ${name}: let it join first`, {
            name: agent,
          });
        return {
          name: self.name,
          inbox: inboxOf(self.name),
          async send(to, content) {
            const recipient = await memberOf(to);
            if (recipient) return deliver(self, recipient.name, content);
            const members = ((await roster.read()).value?.members ?? []).map((member) => member.name);
            throw new TroupeError(
              "recipient_unknown",
              `there is no ${to} in ${name}: send to one of ${members.join(", ")}`,
              { to, members },
            );
          },
        };
      },
    };
    return team;
  }

  const openTeam = async (name: string): Promise<Team | undefined> => {
    const config = await readSettled(layout.team(name).config, (bytes) => bytes, isTorn);
    return config && open(name, config);
  };

  return {
    openTeam,

    async createTeam({ revision = "2026-02", ...draft }: NewTeam) {
      const codec = codecFor(revision);
      const document = codec.write(codec.newTeam(draft));
      const paths = layout.team(draft.name);
      for (const directory of [paths.directory, paths.tasks]) mkdirSync(directory, { recursive: true, mode: 0o700 });
      await withLock(
        paths.config,
        (held) => {
          if (readBytes(paths.config)) throw exists(draft.name);
          publish(held, paths.config, document, isDurable);
        },
        limits,
      );
      if (codec.makesLockWithTeam) writeFileSync(paths.taskLock, "", { flag: "a", mode: 0o600 });
      return open(draft.name, new TextEncoder().encode(document));
    },

    listTeams: async () =>
      names(layout.teams).filter((name) => isTeamName(name) && readBytes(layout.team(name).config)),

    async deleteTeam(name, { evenIfActive = false } = {}) {
      const team = await openTeam(name);
      if (!team) return;
      const { value } = await team.config();
      const others = (value?.members ?? []).filter((member) => value && member !== leadOf(value));
      if (others.length > 0 && !evenIfActive)
        throw active(
          name,
          others.map((member) => member.name),
        );
      remove(layout, name, codecFor(team.form).removesTasksWithTeam, newId());
    },
  };
}

const isTorn = (bytes: Uint8Array): boolean => readJson(bytes).problems.some(({ code }) => code === "document_torn");

/** Renamed first, so that nobody meets a team half gone. */
function remove(layout: Layout, name: string, alsoTasks: boolean, id: string): void {
  const aside = layout.deletedTeam(name, id);
  renameSync(layout.team(name).directory, aside);
  rmSync(aside, { recursive: true, force: true });
  if (alsoTasks) rmSync(layout.team(name).tasks, { recursive: true, force: true });
}

function* inboxTexts(directory: string, pathOf: (agent: string) => string): Generator<Uint8Array> {
  for (const file of names(directory)) {
    const agent = inboxOwnerOf(file);
    const bytes = agent === undefined ? undefined : readBytes(pathOf(agent));
    if (bytes) yield bytes;
  }
}

const names = (directory: string): string[] =>
  statSync(directory, { throwIfNoEntry: false })?.isDirectory() ? readdirSync(directory).sort() : [];

const exists = (name: string): TroupeError =>
  new TroupeError("team_exists", `there is a team called ${teamName(name)}: open it, or choose another name`, { name });

const active = (name: string, members: string[]): TroupeError =>
  new TroupeError("team_active", `${name} still has ${members.join(", ")}: shut them down first`, { name, members });

const unreadable = (path: string): TroupeError =>
  new TroupeError("document_unreadable", `${path} cannot be read as a team's config: mend it, nothing was changed`, {
    path,
  });
