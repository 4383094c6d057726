import { isTroupeError, messageOf, spawnFlags, worktree } from "@troupe/protocol";
import type { RecordedEvent, Team } from "@troupe/store";
import {
  type Added,
  type Backend,
  begun,
  foldDoings,
  momentOf,
  type Observation,
  removeMember,
  type Spawned,
  type Spawner,
  stateOf,
  type TeamEvent,
} from "@troupe/team";
import type { SpawnedTeammate, TeammateWish } from "../agent/session-context.ts";
import { routeWords } from "../agents/route-words.ts";
import { unmetServers } from "../agents/servers.ts";
import { inPlace } from "../agents/start.ts";
import { newAgentId } from "../agents/work.ts";
import type { BackgroundTasks } from "../jobs/background-task.ts";
import { chooseModel } from "../model/choice.ts";
import { modeWithin } from "../permissions/modes.ts";
import type { Workspace, Workspaces } from "../workspace.ts";
import { addedFromNow, type Spawning } from "./added-elsewhere.ts";
import { toolsOf } from "./definition-tools.ts";
import { teammateTasks } from "./teammate-tasks.ts";

export interface TeammatesDeps {
  /** The team that the session leads. */
  readonly team: Team;
  /** The name of the lead. */
  readonly self: string;
  readonly spawner: Spawner;
  /** Where teammates run, the one for new ones first. */
  readonly backends: readonly Backend[];
  readonly sessionId: string;
  /** Opens again the worktrees of teammates that an earlier process of the lead has started. */
  readonly workspaces?: Pick<Workspaces, "open"> | undefined;
  /** Hears the mail that waits: a teammate that has ended may have said so. */
  readonly hear: () => Promise<unknown>;
  /** Tells the model of a teammate that ended without a word. */
  readonly tell: (name: string, words: string) => void;
  /** Told what is seen of a teammate from outside. */
  readonly onSeen: (one: Spawned, seen: Observation) => void;
  /** Told what stands in the team's history from the first teammate on. */
  readonly onRecorded: (recorded: RecordedEvent) => void;
  /** Writes to the team's history. */
  readonly record: (event: TeamEvent) => void;
  /** Shows the user what went wrong. */
  readonly show: (message: string) => void;
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
  const { team, self, spawner, backends, sessionId, hear, tell, onSeen, onRecorded, record, show } = deps;
  const closing = new AbortController();
  const watches = new Map<string, Promise<void>>();
  /** Those whose end was not told, with the time of their roster entries. */
  const unended = new Map<Spawned, { readonly joinedAt: number; last?: Observation["kind"] }>();
  const doings = foldDoings();
  const tasks = teammateTasks((one) => {
    const known = unended.get(one);
    return known && stateOf(doings.of({ name: one.name, joinedAt: known.joinedAt }) ?? begun);
  }, spawner.end);
  /** Names that this process is adding. */
  const adding = new Set<string>();
  let listening: Promise<void> | undefined;
  let recovering: Promise<void> | undefined;

  function see(one: Spawned, seen: Observation): void {
    const known = unended.get(one);
    if (!known || known.last === seen.kind || (known.last && seen.kind === "ready")) return;
    known.last = seen.kind;
    if (seen.kind === "ended") unended.delete(one);
    onSeen(one, seen);
  }

  function seeDoing(one: Spawned, joinedAt: number): void {
    const doing = doings.of({ name: one.name, joinedAt });
    if (doing) see(one, { kind: stateOf(doing) });
  }

  function watch({ one, joinedAt }: Added, workspace?: Workspace): void {
    unended.set(one, { joinedAt });
    see(one, { kind: "ready" });
    // It may have recorded something before it was told here that it runs.
    seeDoing(one, joinedAt);
    listening ??= listen(momentOf(joinedAt)).catch((error: unknown) =>
      show(`teammates are not heard any more: ${messageOf(error)}`),
    );
    const watching = follow(one)
      .catch((error: unknown) => show(`${one.name} is not watched any more: ${messageOf(error)}`))
      .then(() => workspace?.release())
      .then(() => void watches.delete(one.name))
      .catch((error: unknown) => show(`the worktree of ${one.name} could not be given back: ${messageOf(error)}`));
    watches.set(one.name, watching);
    tasks.add(one, watching);
  }

  async function follow(one: Spawned): Promise<void> {
    const backend = backends.find(({ name }) => name === one.backend);
    if (!backend) return;
    for await (const seen of backend.observe(one, closing.signal)) {
      if (seen.kind !== "ended") {
        see(one, seen);
        continue;
      }
      // Who waits for its end finds the lead told of it.
      await letGo(one.name, unended.get(one)?.joinedAt, seen.detail).finally(() => see(one, seen));
      return;
    }
  }

  async function letGo(name: string, joinedAt: number | undefined, detail: string): Promise<void> {
    // A team that was removed meanwhile has no mail, no roster and no history.
    if (!(await hasHeard(name))) return;
    // One that has agreed to end was taken out when its agreement was heard.
    const hasLeft = !(await isMember(name, joinedAt));
    record({ kind: hasLeft ? "stopped" : "died", name, detail });
    if (hasLeft) return;
    const words = await removeMember(team, name, undefined, show);
    tell(name, `${name} has ended without a word: ${detail}.\n${words}`);
  }

  /** Whether the one that joined at this time is in the team. */
  async function isMember(name: string, joinedAt: number | undefined): Promise<boolean> {
    const { value } = await team.config();
    return value?.members?.some((member) => member.name === name && member.joinedAt === joinedAt) === true;
  }

  /** False where the mail cannot be heard since the team is gone. */
  async function hasHeard(name: string): Promise<boolean> {
    try {
      await hear();
      return true;
    } catch (error) {
      const absence: unknown = await team.as(name).catch((reason: unknown) => reason);
      if (isTroupeError(absence) && absence.code === "team_unknown") return false;
      throw error;
    }
  }

  /** Teammates record whether they work, and what they wait for. */
  async function listen(from: string): Promise<void> {
    let hasBegun = false;
    for await (const recorded of team.history(undefined, closing.signal)) {
      // A clock may go back behind it.
      hasBegun ||= recorded.at >= from;
      if (hasBegun) onRecorded(recorded);
      doings.take(recorded);
      for (const [one, { joinedAt }] of unended) if (one.name === recorded.by) seeDoing(one, joinedAt);
    }
  }

  /** To be given back when the teammate has ended, where it works in one. */
  async function worktreeOf(
    name: string,
    places: ReadonlyMap<string, string | undefined>,
  ): Promise<Workspace | undefined> {
    const slug = `agent-${name}`;
    if (!deps.workspaces || !places.get(name)?.endsWith(worktree("", slug))) return undefined;
    return deps.workspaces.open(slug, closing.signal).catch((error: unknown) => {
      show(`the worktree of ${name} is left as it is: ${messageOf(error)}`);
      return undefined;
    });
  }

  /** One that agreed to end in the meantime has said so by mail, which is heard first. */
  async function takeOver(): Promise<void> {
    await hear().catch((error: unknown) => show(messageOf(error)));
    const places = new Map((await team.config()).value?.members.map(({ name, cwd }) => [name, cwd]));
    const { adopted, gone } = await spawner.recover();
    for (const added of adopted) watch(added, await worktreeOf(added.one.name, places));
    for (const { name } of gone) await (await worktreeOf(name, places))?.release();
    for (const { name, words } of gone) tell(name, `${name} has ended while nobody led the team.\n${words}`);
  }

  /** Goes on with teammates that a person adds from another terminal in the lead's name. */
  async function adopt(added: AsyncIterable<Spawning>): Promise<void> {
    for await (const { name, joinedAt, backend } of added) {
      if (adding.has(name) || watches.has(name)) continue;
      const one = await spawner.find(name);
      if (one) watch({ one, joinedAt });
      else if (await isMember(name, joinedAt)) {
        await spawner.sweep(backend);
        await letGo(name, joinedAt, "it had ended before this session could go on with it");
      }
    }
  }

  const recover = (): Promise<void> => {
    recovering ??= (async () => {
      const added = await addedFromNow(team, self, closing.signal);
      await takeOver();
      void adopt(added).catch((error: unknown) => show(messageOf(error)));
    })().catch((error: unknown) =>
      show(`what an earlier process started for ${team.name} could not be taken over: ${messageOf(error)}`),
    );
    return recovering;
  };

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
    const isIsolated = (task.isolation ?? agent?.isolation) === "worktree";
    if (isIsolated && !workspaces) return { refusal: "no worktrees can be made here; leave out isolation" };
    const unmet = agent && (await unmetServers(agent, caller.mcp, signal));
    if (unmet !== undefined) return { refusal: unmet };
    await recover();
    let workspace: Workspace | undefined;
    let added: Added;
    adding.add(name);
    try {
      workspace = isIsolated ? await workspaces?.open(`agent-${name}`, signal) : undefined;
      added = await spawner.spawn(
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
      );
      watch(added, workspace);
    } catch (error) {
      await workspace?.release();
      if (isTroupeError(error)) return { refusal: error.message };
      throw error;
    } finally {
      adding.delete(name);
    }
    const { one } = added;
    const isBeside = one.backend === "in-process" && revision === "2026-11";
    const teammate_id = isBeside ? newAgentId(name) : `${name}@${team.name}`;
    tasks.name(teammate_id, name);
    const status = "teammate_spawned" as const;
    const route = routeWords(`teammate in the team ${team.name}, backend ${one.backend}`, why, model);
    return { route, teammate: { status, teammate_id, name, team_name: team.name, resolvedModel: model } };
  }

  return {
    recover,
    add,
    endStrays: spawner.endStrays,
    tasks,

    async close() {
      await recovering;
      closing.abort();
      const ends = await Promise.allSettled([...unended.keys()].map(spawner.end));
      for (const end of ends) if (end.status === "rejected") show(messageOf(end.reason));
      await Promise.all(watches.values());
      // To watch ends before they do.
      for (const one of unended.keys()) {
        const detail = `${one.name} was ended`;
        record({ kind: "stopped", name: one.name, detail });
        see(one, { kind: "ended", reason: "shutdown", detail });
      }
      await listening;
    },
  };
}
