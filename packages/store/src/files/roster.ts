import {
  type Codec,
  type Color,
  colorOf,
  colors,
  leadOf,
  type Member,
  type Patch,
  type Read,
  type TeamConfig,
  type TeamLayout,
  type TeammateDraft,
  TroupeError,
} from "@troupe/protocol";
import { readBytes, readSettled } from "./document.ts";
import { type LockLimits, withLock } from "./lock.ts";
import { publish } from "./publication.ts";

/** Teams are small; a larger one is a mistake or an attack. */
export const maxMembers = 64;

/** The members of one team, in its config. */
export interface Roster {
  read(): Promise<Read<TeamConfig>>;
  /** Throws `team_unknown` where the team is gone. */
  members(): Promise<readonly Member[]>;
  join(draft: Omit<TeammateDraft, "team" | "color">): Promise<Member>;
  update(name: string, patch: Patch<Member, "name" | "agentId">): Promise<boolean>;
  leave(name: string): Promise<boolean>;
}

export interface RosterDeps {
  readonly name: string;
  readonly layout: TeamLayout;
  readonly codec: Codec;
  readonly limits?: LockLimits;
  readonly isDurable?: boolean;
}

export function openRoster({ name, layout, codec, limits, isDurable = false }: RosterDeps): Roster {
  const { config } = layout;

  /** Changes the config under its lock; an undefined document changes nothing. */
  const change = <T>(work: (read: Read<TeamConfig>) => { document: object | undefined; result: T }): Promise<T> =>
    withLock(
      config,
      (held) => {
        const { document, result } = work(codec.readTeam(readBytes(config) ?? "", name));
        if (document) publish(held, config, codec.write(document), isDurable);
        return result;
      },
      limits,
    );

  const read = () => readSettled(config, (bytes) => codec.readTeam(bytes, name), isTorn);

  return {
    read: async () => (await read()) ?? codec.readTeam("", name),

    async members() {
      const found = await read();
      if (!found) throw gone(name);
      if (!found.value) throw unreadable(config, found);
      return found.value.members;
    },

    join: (draft) =>
      change((read) => {
        const members = read.value?.members ?? [];
        if (members.length >= maxMembers) throw tooMany(name);
        const member = codec.newTeammate({ ...draft, team: name, color: nextColor(read.value) });
        return { document: codec.addMember(read, member), result: member };
      }),

    update: (member, patch) =>
      change((read) => {
        const document = codec.amendMember(read, member, patch);
        return { document, result: document !== undefined };
      }),

    leave: (member) =>
      change((read) => {
        if (read.value && leadOf(read.value)?.name === member) throw fixed(name, member);
        const document = codec.removeMember(read, member);
        return { document, result: document !== undefined };
      }),
  };
}

/** The colour behind that of whoever joined last; how many joined before and left is written nowhere. */
function nextColor(team: TeamConfig | undefined): Color {
  const lead = team && leadOf(team);
  const last = team?.members.filter((member) => member !== lead).at(-1);
  return colorOf(last ? colors.indexOf(last.color as Color) + 1 : 0);
}

const isTorn = ({ problems }: Read<TeamConfig>): boolean => problems.some(({ code }) => code === "document_torn");

/** Throws `team_active` while there is anybody but the lead. */
export function assertIdle(name: string, team: TeamConfig | undefined): void {
  const others = (team?.members ?? []).filter((member) => team && member !== leadOf(team)).map((member) => member.name);
  if (others.length === 0) return;
  const message = `${name} still has ${others.join(", ")}: shut them down first`;
  throw new TroupeError("team_active", message, { name, members: others });
}

const gone = (name: string): TroupeError =>
  new TroupeError("team_unknown", `there is no team ${name} any more: list the teams`, { name });

const unreadable = (path: string, { problems }: Read<TeamConfig>): TroupeError =>
  new TroupeError("document_unreadable", `${path} cannot be read and is left as it is: ${problems[0]?.message}`, {
    path,
    problems,
  });

const fixed = (team: string, name: string): TroupeError =>
  new TroupeError("lead_fixed", `${name} leads ${team} to its end: delete the team instead`, { team, name });

const tooMany = (name: string): TroupeError =>
  new TroupeError("team_full", `the team ${name} has ${maxMembers} members and takes no more: let one leave`, { name });
