import { once } from "node:events";
import { leadOf, sessionTeamName, TroupeError } from "@troupe/protocol";
import { firstOf, type Participant, type Store, type Team } from "@troupe/store";
import type { Ask } from "@troupe/team";
import type { SessionContext } from "../agent/session-context.ts";
import type { Journal } from "../journal/journal.ts";
import { ledgerOf } from "../journal/ledger.ts";
import type { Inputs } from "../loop/ports.ts";
import type { PlanApprover } from "../tools/exit-plan-mode.ts";
import type { PlanFile } from "../tools/plan-mode.ts";
import type { OwnTeam } from "./own-team.ts";
import { type Seat, type SeatDeps, type SeatedPermissions, takeSeat } from "./seat.ts";
import type { attendTeam } from "./turns.ts";

export interface SeatsDeps extends SeatDeps {
  /** The team that it leads from its first turn on, where it has one. */
  readonly ownTeam: OwnTeam | undefined;
  /** Why nobody can be added to a team now; asked each time. */
  readonly refusal: () => string | undefined;
  /** Fires when the session ends. */
  readonly signal: AbortSignal;
  /** Told of the seat that was taken, and with nothing when it was left. */
  readonly onChange: (seat: Seat | undefined) => void;
}

/**
 * The seat of a session in a team. It has one at a time or none, and takes and leaves it while it
 * runs.
 */
export interface Seats {
  now(): ReturnType<typeof takeSeat> | undefined;
  /** Throws `session_leading` where the session has a seat already. */
  take(seat: Seat, permissions: SeatedPermissions): void;
  /** Before the first turn: takes the lead of the session's own team. */
  begin(permissions: SeatedPermissions): Promise<void>;
  /** Stops hearing mail, and remembers that it has left. */
  leave(): Promise<void>;
  /**
   * Lets go of the mail, and keeps the seat for the next process of the session; its own team goes.
   */
  close(): Promise<void>;
  /** Adds a teammate to the team that the session leads. */
  readonly spawn: NonNullable<SessionContext["spawnTeammate"]>;
  /** Inputs of the main conversation while it runs: its queue, and mail that may be heard then. */
  readonly inputs: Inputs;
  /** Resolves when mail for the model waits; rejects with the signal. */
  mail(signal: AbortSignal): Promise<void>;
  /** Turn after turn as a member; throws `team_unknown` where the session has no seat. */
  attend(deps: Parameters<ReturnType<typeof takeSeat>["attend"]>[0]): ReturnType<typeof attendTeam>;
  /** Asks whom the session asks at this moment what it may not decide alone. */
  readonly ask: Ask;
  /**
   * The approver of a plan: the person, or of a teammate that has to plan first its lead; of any
   * other teammate nobody.
   */
  approver(plan: Pick<PlanFile, "path">): PlanApprover | undefined;
}

export function openSeats({ signal, onChange, ownTeam, refusal, ...deps }: SeatsDeps): Seats {
  let current: { readonly seat: Seat; readonly taken: ReturnType<typeof takeSeat> } | undefined;

  async function close(): Promise<void> {
    const { taken } = current ?? {};
    current = undefined;
    await taken?.close();
  }

  function take(seat: Seat, permissions: SeatedPermissions): void {
    if (current) {
      const { name } = current.seat.team;
      throw new TroupeError("session_leading", `this session is in the team ${name}: leave it first`, { team: name });
    }
    current = { seat, taken: takeSeat(seat, permissions, deps) };
    void current.taken.begin(signal);
    onChange(seat);
  }

  const queued = deps.queue.inputs();

  return {
    inputs: {
      take: queued.take,
      hear: async () => (await current?.taken.overhear()) ?? [],
      whenUrgent: (until) => firstOf(until, queued.whenUrgent, ...(current ? [current.taken.urgency] : [])),
    },

    now: () => current?.taken,

    async spawn(wish, signal) {
      const why = refusal();
      if (why !== undefined) return { refusal: why };
      const { teammates } = current?.taken ?? {};
      return (
        teammates?.add(wish, signal) ?? { refusal: "this session leads no team: create one with TeamCreate first" }
      );
    },

    async mail(signal) {
      if (current) return current.taken.mail(signal);
      if (!signal.aborted) await once(signal, "abort");
      throw signal.reason;
    },

    attend(deps) {
      if (current) return current.taken.attend(deps);
      throw new TroupeError("team_unknown", "this session has no team to attend to: let it enter one first");
    },

    ask: (question, signal) => (current?.taken.ask ?? deps.ask)(question, signal),

    take,

    async begin(permissions) {
      const team = current ? undefined : await ownTeam?.open();
      if (team) take(await seatOf(team, "team-lead"), permissions);
    },

    async leave() {
      if (!current) return;
      await close();
      ledgerOf(deps.journal).append({ kind: "left" });
      onChange(undefined);
    },

    async close() {
      await close();
      await ownTeam?.end();
    },

    approver({ path }) {
      if (!current || current.taken.membership.isLead) return { kind: "person", ask: deps.ask };
      const { seat, taken } = current;
      if (!seat.planModeRequired) return undefined;
      return { kind: "lead", submit: (plan) => taken.membership.handIn(plan, path) };
    },
  };
}

/**
 * The seat that an earlier process of the session led from, where the team is still there and was
 * not left. A session takes that of its own team by itself.
 */
export async function seatBefore(
  { id, journal }: { readonly id: string; readonly journal: Pick<Journal, "state"> },
  store: Pick<Store, "openTeam">,
): Promise<Pick<Seat, "team" | "self" | "lead"> | undefined> {
  const { membership, hasLeft } = journal.state().ledger;
  if (!membership || hasLeft || membership.name !== membership.lead) return undefined;
  if (membership.team === sessionTeamName(id)) return undefined;
  const team = await store.openTeam(membership.team);
  const { value } = (await team?.config()) ?? {};
  const isSame = value?.createdAt === membership.createdAt && value.leadSessionId === id;
  return team && isSame ? seatOf(team, membership.name) : undefined;
}

/**
 * The seat of a member of a team. Throws `member_unknown` for a name that is none,
 * `document_invalid` where nobody leads the team.
 */
export async function seatOf(team: Team, name: string): Promise<Pick<Seat, "team" | "self" | "lead">> {
  const self: Participant = await team.as(name);
  const { value } = await team.config();
  const lead = value && leadOf(value)?.name;
  if (lead !== undefined) return { team, self, lead };
  const message = `the config of the team ${team.name} names no lead: troupe doctor says more`;
  throw new TroupeError("document_invalid", message, { team: team.name });
}
