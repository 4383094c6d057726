import { messageOf, sessionTeamName, TroupeError } from "@troupe/protocol";
import type { Store, Team } from "@troupe/store";
import { thisProcess } from "@troupe/store/files";
import type { SessionOptions } from "./session.ts";

export interface OwnTeamDeps {
  readonly options: Pick<SessionOptions, "revision" | "gates">;
  /** Absent where no teammates can be started. */
  readonly store: Pick<Store, "openTeam" | "createTeam" | "deleteTeam"> | undefined;
  readonly sessionId: string;
  readonly model: string;
  readonly cwd: string;
  readonly now: () => Date;
  /** Shows the user what went wrong. */
  readonly show: (message: string) => void;
}

/**
 * The team that a session of 2026-11 leads without being asked to: named after the session, there
 * from its first turn to its end.
 */
export interface OwnTeam {
  /**
   * The team, which an earlier process of the session may have left; undefined, and shown, where it
   * cannot be.
   */
  open(): Promise<Team | undefined>;
  /** Removes the team that was opened; its task list stays. */
  end(): Promise<void>;
}

/** Undefined for a session that has none. */
export function ownTeam({ options, store, ...deps }: OwnTeamDeps): OwnTeam | undefined {
  const { revision, gates: { isInteractive, hasOwnTeam = isInteractive } = {} } = options;
  if (revision !== "2026-11" || !hasOwnTeam || !store) return undefined;
  const { sessionId, model, cwd, now, show } = deps;
  let team: Team | undefined;
  return {
    async open() {
      const leadProcess = { ...thisProcess(), claimedAt: now().getTime() };
      const draft = { leadSessionId: sessionId, leadModel: model, leadProcess, createdAt: now().getTime(), cwd };
      try {
        const name = sessionTeamName(sessionId);
        const left = await store.openTeam(name);
        if (left) await claim(left, sessionId, leadProcess);
        team = left ?? (await store.createTeam({ name, ...draft, revision: "2026-11" }));
        return team;
      } catch (error) {
        show(`This session has no team of its own: ${messageOf(error)}`);
        return undefined;
      }
    },

    async end() {
      if (!team) return;
      await store
        .deleteTeam(team.name, { evenIfActive: true })
        .catch((error: unknown) => show(`The team ${team?.name} could not be removed: ${messageOf(error)}`));
    },
  };
}

/** Two sessions whose ids begin alike have one name, and the second has no team. */
async function claim(team: Team, sessionId: string, leadProcess: Parameters<Team["claim"]>[0]): Promise<void> {
  const { value } = await team.config();
  const leader = value?.leadSessionId;
  if (leader !== sessionId)
    throw new TroupeError(
      "team_exists",
      `there is a team called ${team.name}, which the session ${leader} leads: delete it once that session is over`,
      { name: team.name },
    );
  await team.claim(leadProcess);
}
