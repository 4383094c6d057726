import { isTroupeError, messageOf, spawnFlags, worktree } from "@troupe/protocol";
import { type GiveBack, type Spawned, type Spawner, type SupervisionDeps, superviseTeammates } from "@troupe/team";
import type { SpawnedTeammate, TeammateWish } from "../agent/session-context.ts";
import { routeWords } from "../agents/route-words.ts";
import { unmetServers } from "../agents/servers.ts";
import { inPlace } from "../agents/start.ts";
import { newAgentId } from "../agents/work.ts";
import type { BackgroundTasks } from "../jobs/background-task.ts";
import { chooseModel } from "../model/choice.ts";
import { modeWithin } from "../permissions/modes.ts";
import type { Workspace, Workspaces } from "../workspace.ts";
import { toolsOf } from "./definition-tools.ts";
import { teammateTasks } from "./teammate-tasks.ts";

/** The first of its backends is the one for new teammates. */
export interface TeammatesDeps extends Omit<SupervisionDeps, "onWatched" | "heldBy"> {
  readonly sessionId: string;
  /** Opens again the worktrees of teammates that an earlier process of the lead has started. */
  readonly workspaces?: Pick<Workspaces, "open"> | undefined;
}

/** The teammates that a lead has started. */
export interface Teammates {
  /**
   * Once, before any is added: goes on with those that an earlier process of this lead left.
   */
  recover(): Promise<void>;
  add(wish: TeammateWish, signal: AbortSignal): Promise<SpawnedTeammate>;
  /** Ends those that run and are in the roster no more; rejects where one cannot be ended. */
  readonly endStrays: Spawner["endStrays"];
  /** Each as work in the background, by its name or the id that its starter was told. */
  readonly tasks: BackgroundTasks;
  /** Ends all of them; the roster stays as it is. */
  close(): Promise<void>;
}

/** The flags of a teammate that plans first, whatever its lead or its call says. */
const planning: ReturnType<typeof spawnFlags> = { planModeRequired: true };

export function openTeammates(deps: TeammatesDeps): Teammates {
  const { team, spawner, backends, sessionId, show } = deps;
  const tasks = teammateTasks((one) => supervision.stateOf(one), spawner.end);
  const supervision = superviseTeammates({ ...deps, onWatched: tasks.add, heldBy });
  const { recover, close } = supervision;

  const givingBack =
    (name: string, workspace: Workspace): GiveBack =>
    async () => {
      await workspace
        .release()
        .catch((error: unknown) => show(`the worktree of ${name} could not be given back: ${messageOf(error)}`));
    };

  /** To be given back when the teammate has ended, where it works in one. */
  async function heldBy(name: string, cwd: string | undefined, signal: AbortSignal): Promise<GiveBack | undefined> {
    const slug = `agent-${name}`;
    if (!deps.workspaces || !cwd?.endsWith(worktree("", slug))) return undefined;
    try {
      return givingBack(name, await deps.workspaces.open(slug, signal));
    } catch (error) {
      show(`the worktree of ${name} is left as it is: ${messageOf(error)}`);
      return undefined;
    }
  }

  async function add({ name, agent, task, caller, why, ...wish }: TeammateWish, signal: AbortSignal) {
    if (wish.team !== team.name)
      return { refusal: `you lead the team ${team.name} and no other: leave out team_name, or name that one` };
    const { revision, modelOverrides, workspaces, gates } = caller.session;
    const leadMode = caller.permissions.lends();
    if (leadMode === "bubble") return { refusal: "a fork adds nobody to the team" };
    const flags = gates.areTeammatesPlanning ? planning : spawnFlags(revision, task.mode, leadMode);
    const wanted = flags.permissionMode ?? (flags.planModeRequired ? "plan" : leadMode);
    const model = chooseModel({
      asked: task.model ?? agent?.model,
      parent: caller.key.model,
      ...(modelOverrides && { overrides: modelOverrides }),
    });
    const isElsewhere = backends[0]?.isElsewhere === true;
    const isIsolated = !isElsewhere && (task.isolation ?? agent?.isolation) === "worktree";
    if (isIsolated && !workspaces) return { refusal: "no worktrees can be made here; leave out isolation" };
    const unmet = agent && (await unmetServers(agent, caller.mcp, signal));
    if (unmet !== undefined) return { refusal: unmet };
    await recover();
    let workspace: Workspace | undefined;
    let one: Spawned;
    try {
      workspace = isIsolated ? await workspaces?.open(`agent-${name}`, signal) : undefined;
      ({ one } = await supervision.add(
        {
          name,
          revision,
          leadSessionId: sessionId,
          agentType: agent?.agentType ?? "general-purpose",
          model,
          prompt: workspace ? `${task.prompt}\n\n${inPlace(workspace)}` : task.prompt,
          mode: modeWithin(wanted, leadMode),
          planModeRequired: flags.planModeRequired,
          tools: toolsOf(agent),
          disallowedTools: agent?.disallowedTools,
          cwd: workspace?.path ?? caller.cwd,
          worktree: workspace?.path,
          environment: {},
        },
        backends[0]?.name ?? "",
        signal,
        workspace && givingBack(name, workspace),
      ));
    } catch (error) {
      await workspace?.release();
      if (isTroupeError(error)) return { refusal: error.message };
      throw error;
    }
    const isBeside = one.backend === "in-process" && revision === "2026-11";
    const teammate_id = isBeside ? newAgentId(name) : `${name}@${team.name}`;
    tasks.name(teammate_id, name);
    const status = "teammate_spawned" as const;
    const route = routeWords(`teammate in the team ${team.name}, backend ${one.backend}`, why, model);
    return { route, teammate: { status, teammate_id, name, team_name: team.name, resolvedModel: model } };
  }

  return { recover, add, endStrays: spawner.endStrays, tasks, close };
}
