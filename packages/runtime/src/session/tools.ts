import { codecFor, type Revision, type Task } from "@troupe/protocol";
import { assignmentBody } from "@troupe/protocol/rules";
import type { Store, Tasks } from "@troupe/store";
import type { Membership } from "@troupe/team";
import type { Agent } from "../agent/agent.ts";
import type { TaskHooksDeps } from "../hooks/task-hooks.ts";
import type { Tool } from "../loop/tool.ts";
import type { Permissions } from "../permissions/permissions.ts";
import { createPlanMode, planFileOf } from "../tools/plan-mode.ts";
import { planTools } from "../tools/plan-tools.ts";
import type { TaskToolsDeps } from "../tools/task-board.ts";
import { taskTools } from "../tools/task-tools.ts";
import { teamCreateTool } from "../tools/team-create.ts";
import { teamDeleteTool } from "../tools/team-delete.ts";
import { askedFirst, type OtherSessions } from "./other-sessions.ts";
import type { Seat } from "./seat.ts";
import { type Seats, seatOf } from "./seats.ts";

export interface TaskBoardDeps extends Pick<TaskHooksDeps, "hooks" | "reports"> {
  readonly revision: Revision;
  readonly membership: () => Membership | undefined;
  /** Keeps the tasks of the session itself. */
  readonly store: Pick<Store, "tasksOfSession"> | undefined;
  readonly sessionId: string;
  readonly now: () => Date;
}

/** The task list of this moment: that of the team while there is one, else the session's own. */
export function taskBoard({
  membership,
  store,
  sessionId,
  now,
  ...deps
}: TaskBoardDeps): TaskToolsDeps & { readonly hasOwn: boolean } {
  let own: Tasks | undefined;
  return {
    ...deps,
    hasOwn: store !== undefined,
    get tasks() {
      const ofTeam = membership()?.self.tasks;
      if (ofTeam) return ofTeam;
      own ??= store?.tasksOfSession(sessionId);
      if (!own) throw new Error("this session has no task list");
      return own;
    },
    get team() {
      return membership()?.team.name;
    },
    get member() {
      return membership()?.self.name;
    },
    async announce(task: Task) {
      const self = membership()?.self;
      if (!self || !codecFor(deps.revision).announcesOwnTasks) return;
      const body = assignmentBody(task, { by: self.name, at: now().toISOString() });
      // The task is taken, whether that can be told or not.
      await self.send(self.name, { body }).catch(() => {});
    },
  };
}

export interface MainToolsDeps {
  readonly root: string;
  readonly cwd: string;
  readonly sessionId: string;
  readonly revision: Revision;
  readonly model: string;
  readonly permissions: Permissions;
  readonly store: Store | undefined;
  readonly seats: Seats;
  readonly board: ReturnType<typeof taskBoard>;
  /** The tools of every agent that need no team. */
  readonly common: readonly Tool<Agent>[];
  /** The seat it begins with, in a team that it was started for. */
  readonly seat?: Pick<Seat, "bridge"> | undefined;
  readonly otherSessions?: OtherSessions | undefined;
  readonly newId: () => string;
  readonly now: () => Date;
  readonly interrupt: () => void;
}

/**
 * The tools of a session that are about its tasks, its plans and its team. Which there are never
 * changes: a team decides what they do.
 */
export function mainTools(deps: MainToolsDeps) {
  const { root, cwd, sessionId, revision, model, permissions, store, seats, board, common, seat } = deps;
  const { newId, now, interrupt } = deps;
  const plan = store && planFileOf(sessionId, { root, store });
  const planning = plan
    ? planTools({
        revision,
        planMode: createPlanMode(permissions),
        permissions,
        plan,
        newId,
        interrupt,
        approver: () => seats.approver(plan),
        outside: seat?.bridge && revision === "2026-11" ? noPlan : undefined,
      })
    : [];
  const own = () => seats.now()?.membership;
  const teams =
    store && revision === "2026-02"
      ? [
          teamCreateTool({
            store,
            sessionId,
            model,
            cwd,
            now,
            team: () => own()?.team,
            async lead(team) {
              seats.take(await seatOf(team, "team-lead"), permissions);
              // The journal says so before the model does: the next process finds its seat by it.
              await own()?.enter();
            },
          }),
          teamDeleteTool({
            store,
            team: () => (own()?.isLead ? own()?.team : undefined),
            endStrays: async () => seats.now()?.teammates?.endStrays(),
            letGo: seats.leave,
          }),
        ]
      : [];
  return {
    common: [...common, ...(board.hasOwn || seat ? taskTools(board) : [])],
    ofMain: [...planning, ...teams],
    toSession: deps.otherSessions && askedFirst(deps.otherSessions, { ask: seats.ask, newId }),
  };
}

/** Words of 2026-11 for a teammate beside its lead, which waits for nobody's approval. */
const noPlan = "ExitPlanMode is not available inside subagents: you are not in plan mode. Go on with your work.";
