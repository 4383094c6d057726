import { isTroupeError, messageOf } from "@troupe/protocol";
import type { RecordedEvent } from "@troupe/store";
import {
  type Ask,
  type Backend,
  createSpawner,
  type MembershipDeps,
  type Observation,
  openMembership,
  recorder,
  recordRequests,
  type Spawned,
  tellActive,
} from "@troupe/team";
import type { TaskHooksDeps } from "../hooks/task-hooks.ts";
import type { Stored } from "../journal/entry.ts";
import type { Journal } from "../journal/journal.ts";
import { ledgerOf } from "../journal/ledger.ts";
import type { RunLimits } from "../loop/ports.ts";
import type { Permissions } from "../permissions/permissions.ts";
import { type Queue, textBlocks } from "../queue.ts";
import type { Settings } from "../settings/load.ts";
import type { Workspaces } from "../workspace.ts";
import { type SessionMemberDeps, sessionMember } from "./member.ts";
import { recordTurns } from "./team-events.ts";
import { openTeammates } from "./teammates.ts";
import { type AttendanceDeps, attendTeam, leftUndone, saysThatItAgreed } from "./turns.ts";

/** Where a session sits in a team. */
export interface Seat
  extends Pick<
    MembershipDeps,
    "team" | "self" | "lead" | "color" | "bridge" | "isSpawned" | "hasKey" | "plans" | "spawner"
  > {
  /** Of a teammate: it works in plan mode until the lead has approved its plan. */
  readonly planModeRequired?: boolean;
}

export interface SeatDeps extends Pick<MembershipDeps, "now" | "newId" | "show"> {
  readonly journal: Pick<Journal, "state" | "append">;
  readonly queue: Queue;
  readonly mayBypass: boolean;
  readonly deliverAt?: SessionMemberDeps["deliverAt"];
  /** Of a lead: who approves plans, where its seat does not say it. */
  readonly plans?: MembershipDeps["plans"];
  readonly sessionId: string;
  /** Where teammates of a lead run, the one for new ones first. */
  readonly backends: readonly Backend[];
  /** The worktrees of the folder. */
  readonly workspaces?: Workspaces | undefined;
  /** Told what is seen of a teammate from outside. */
  readonly onSeen: (one: Spawned, seen: Observation) => void;
  /** Told what stands in the history of the team that the session leads. */
  readonly onRecorded: (recorded: RecordedEvent) => void;
  /** Asks the person at this session's own screen. */
  readonly ask: Ask;
  /** Of a lead: keeps the machine from sleeping until what it returns is called. */
  readonly keepAwake: () => () => Promise<void>;
}

/** How long a teammate may take to end by itself before it is killed. */
const teammateGraceMs = 5_000;

/** Permissions of the agent that takes a seat. */
export type SeatedPermissions = Pick<Permissions, "lends" | "setMode">;

/** A session as a member of its team, with what it has of it. */
export function takeSeat(seat: Seat, permissions: SeatedPermissions, deps: SeatDeps) {
  const { journal, queue, mayBypass, sessionId, backends, onSeen, onRecorded, ask, now, newId, show } = deps;
  const { team, self } = seat;
  const leads = self.name === seat.lead && backends.length > 0;
  const spawner = leads ? createSpawner({ team, self, backends, now, graceMs: teammateGraceMs }) : undefined;
  const record = recorder(self, show);
  const ledger = recordRequests(ledgerOf(journal), record);
  const turns = recordTurns(journal, record);
  const membership = openMembership({
    ...seat,
    plans: seat.plans ?? deps.plans,
    spawner: seat.spawner ?? spawner,
    ledger: () => ledger,
    mode: permissions.lends,
    mayWork: (wanted) => wanted !== "bypassPermissions" || mayBypass,
    now,
    newId,
    show,
  });
  const person = membership.isLead ? ask : undefined;
  const member = sessionMember({
    journal,
    besides: queue.inputs(),
    permissions,
    ask: person,
    deliverAt: deps.deliverAt,
  });
  let attending: Promise<void> = Promise.resolve();
  const letSleep = leads ? deps.keepAwake() : undefined;
  const teammates =
    spawner &&
    openTeammates({
      team,
      self: self.name,
      spawner,
      backends,
      sessionId,
      workspaces: deps.workspaces,
      hear: membership.offer,
      tell: (name, words) =>
        void queue.notify({
          mode: "task-notification",
          origin: { kind: "teammate", name },
          content: textBlocks(words),
        }),
      onSeen,
      onRecorded,
      record,
      show,
    });

  /** A team that was removed before has no history that goes on. */
  async function isInTeam(): Promise<boolean> {
    const { value } = await team.config().catch((error: unknown) => {
      if (!isTroupeError(error) || error.code !== "team_unknown")
        show(`the team's history has no stopped: ${messageOf(error)}`);
      return { value: undefined };
    });
    return value?.members.some(({ name }) => name === self.name) === true;
  }

  return {
    membership,
    member,
    /** Told each event of the session's own turns. */
    note: turns.note,
    /** Of a lead that can start some. */
    teammates,
    /** Asks about what the session may not decide alone. */
    ask: membership.isLead ? ask : membership.ask,
    /**
     * Once its journal is open: it works in the mode that was granted with its last plan, and is
     * handed its mail. Gives its attendance, which rejects when the lead cannot be told.
     */
    begin(signal: AbortSignal): Promise<void> {
      const granted = membership.granted();
      if (granted !== undefined) permissions.setMode(granted);
      attending = membership.attend(member, signal);
      attending.catch(() => {});
      void teammates?.recover();
      return attending;
    },
    /** True, and shown, once it has agreed to end. */
    async isOver(): Promise<boolean> {
      await membership.enter();
      return saysThatItAgreed(membership, show);
    },
    /** Hears what waits, before a turn; of teammates that are gone too. */
    async hear(): Promise<readonly Stored[]> {
      await teammates?.recover();
      await tellActive(membership, true);
      return member.listen(membership.offer);
    },
    /** Hears within a turn what may be heard there: of one that has agreed to end nothing. */
    async overhear(): Promise<readonly Stored[]> {
      if (membership.isLeaving()) return [];
      return member.overhear(membership.offer).catch((error: unknown) => {
        show(`The mail of ${self.name} could not be heard: ${messageOf(error)}`);
        return [];
      });
    },
    urgency: member.urgency,
    /** Resolves when mail for the model waits. */
    mail: (signal: AbortSignal) => member.arrival(signal, membership.offer),
    attend: (
      deps: Pick<AttendanceDeps, "agent" | "hooks" | "onState" | "signal"> & { readonly onTasks: TaskHooksDeps },
    ) => {
      const beforeIdle = () => leftUndone({ ...deps.onTasks, self: membership.self }, deps.signal);
      const onState: AttendanceDeps["onState"] = async (state) => {
        await deps.onState(state);
        await (state === "idle" ? turns.rested() : turns.began());
      };
      return attendTeam({ ...deps, member, membership, attending, show, beforeIdle, onState });
    },
    async close(): Promise<void> {
      await teammates?.close();
      await letSleep?.();
      if (membership.isLead && (await isInTeam()))
        await record({ kind: "stopped", name: self.name, detail: "its session has ended" });
      await member.stop("left");
      await membership.close();
    },
  };
}

/** What a teammate may come to: by its definition in one turn, by the settings in all of them. */
export const memberLimits = (
  seat: Seat | undefined,
  definition: { readonly maxTurns?: number | undefined } | undefined,
  { teammateCaps: caps }: Pick<Settings, "teammateCaps">,
): Pick<Partial<RunLimits>, "maxTurns" | "caps"> => ({
  ...(definition?.maxTurns !== undefined && { maxTurns: definition.maxTurns }),
  ...(seat && seat.self.name !== seat.lead && { caps }),
});
