import { hostname } from "node:os";
import { isTaskId, isUnread, openBlockersOf, type Revision, TroupeError } from "@troupe/protocol";
import type { Store, TaskChange, Team } from "@troupe/store";
import { defaultLimits } from "@troupe/store/files";
import { type DocumentKind, validate } from "./validate.ts";

/**
 * The parameters of the adapter protocol; the suite validates each call, so a method can trust
 * them.
 */
export interface Params extends Omit<TaskChange, "owner"> {
  readonly root: string;
  readonly kind: DocumentKind;
  readonly text: string;
  readonly team: string;
  readonly name: string;
  readonly id: string;
  readonly agent: string;
  readonly from: string;
  readonly sessionId: string;
  readonly cwd: string;
  readonly model: string;
  readonly subject: string;
  readonly description: string;
  readonly summary?: string;
  readonly force?: boolean;
  readonly agentType: string;
  readonly prompt: string;
  readonly backend: "tmux" | "in-process";
  readonly paneId?: string;
  readonly mode?: string;
  readonly set: Parameters<Team["updateMember"]>[1];
  readonly owner?: string | null;
  readonly by?: string;
  readonly keys?: readonly string[];
}

export type Method = (params: Params) => Promise<object>;

export interface MethodsDeps {
  readonly root: string;
  readonly revision: Revision;
  readonly version: string;
  /** Opens the store below a root. */
  open(root: string): Promise<Store>;
}

/** The methods of the adapter protocol, implemented by Troupe. */
export async function openMethods(deps: MethodsDeps): Promise<Readonly<Record<string, Method>>> {
  const { root, revision, version, open } = deps;
  let store = await open(root);

  const demand = async (name: string): Promise<Team> => {
    const team = await store.openTeam(name);
    if (team) return team;
    throw new TroupeError("team_unknown", `there is no team ${name}`, { name });
  };
  const found = (isFound: boolean, name: string): object => {
    if (isFound) return {};
    throw new TroupeError("recipient_unknown", `there is no member ${name}`, { name });
  };

  return {
    hello: async () => ({
      name: "troupe",
      version,
      language: "TypeScript",
      protocol: 1,
      revisions: ["2026-02", "2026-11"],
      levels: ["L0", "L1", "L2"],
      features: { fencing: true },
      quirks: {
        lockStyle: "mkdir",
        lockPath: "<file>.lock",
        staleMs: defaultLimits.staleMs,
        waitMs: defaultLimits.deadlineMs,
        unblockStyle: revision === "2026-02" ? "remove" : "keep",
      },
    }),
    reset: async ({ root }) => {
      store = await open(root);
      return {};
    },
    bye: async () => ({}),
    validate: async ({ kind, text, name }) => {
      const found = validate(kind, text, revision, name);
      if (found) return found;
      throw new TroupeError("arguments_invalid", `${kind} belongs to a higher level`);
    },

    "team.create": async ({ team, description, sessionId, model, cwd }) => {
      const now = Date.now();
      const leadProcess = {
        pid: process.pid,
        pidSpace: hostname(),
        claimedAt: now,
        procStart: String(Math.round(now - performance.now())),
      };
      const made = await store.createTeam({
        name: team,
        description,
        createdAt: now,
        leadSessionId: sessionId,
        leadModel: model,
        cwd,
        revision,
        leadProcess,
      });
      return { team: made.name };
    },
    "team.get": async ({ team }) => {
      const { value, problems } = await (await demand(team)).config();
      if (value) return { config: value, problems };
      throw new TroupeError("document_unreadable", problems[0]?.message ?? "the config cannot be read");
    },
    "team.list": async () => ({ teams: await store.listTeams() }),
    "team.delete": async ({ team, force = false }) => {
      await demand(team);
      await store.deleteTeam(team, { evenIfActive: force });
      return {};
    },

    "member.add": async ({ team, name, agentType, model, prompt, cwd, backend, paneId, mode }) => {
      const opened = await demand(team);
      const planModeRequired = revision === "2026-02" && mode === "plan";
      const joinedAt = Date.now();
      const joined = await opened.join({ name, agentType, model, prompt, planModeRequired, joinedAt, cwd });
      const isTmux = backend === "tmux";
      await opened.updateMember(joined.name, {
        tmuxPaneId: isTmux ? (paneId ?? "%0") : "in-process",
        backendType: backend,
        ...(isTmux && { isActive: true }),
      });
      const { value } = await opened.config();
      return { member: value?.members.find((member) => member.name === joined.name) ?? joined };
    },
    "member.update": async ({ team, name, set }) => found(await (await demand(team)).updateMember(name, set), name),
    "member.remove": async ({ team, name }) => found(await (await demand(team)).leave(name), name),

    "task.create": async ({ team, subject, description, activeForm, metadata }) => {
      const task = await (await demand(team)).tasks.create({ subject, description, activeForm, metadata });
      return { id: task.id, task };
    },
    "task.get": async ({ team, id }) => {
      if (!isTaskId(id)) throw new TroupeError("task_unknown", `there is no task ${JSON.stringify(id)}`);
      const { value, problems } = await (await demand(team)).tasks.get(id);
      if (value && value.status !== "deleted") return { task: value, problems };
      const code = value || problems.length === 0 ? "task_unknown" : "document_unreadable";
      throw new TroupeError(code, problems[0]?.message ?? `there is no task ${id}`);
    },
    "task.list": async ({ team }) => {
      const { tasks, problems } = await (await demand(team)).tasks.list();
      const unreadable = new Set(problems.map(({ id }) => id));
      for (const { id } of tasks) unreadable.delete(id);
      const blockers = openBlockersOf(tasks, unreadable);
      return {
        tasks: tasks.map((task) => ({ subject: "", ...task, blockedBy: blockers.get(task.id) ?? [] })),
        problems,
      };
    },
    "task.update": async ({ team, id, by, owner, ...change }) => {
      const given = owner === undefined ? {} : { owner: owner ?? undefined };
      return { task: await (await demand(team)).tasks.update(id, { ...change, ...given }, by) };
    },
    "task.claim": async ({ team, id, agent }) => {
      const { tasks } = await demand(team);
      if (id === undefined) {
        const task = await tasks.claimNext(agent);
        return task ? { claimed: true, task } : { claimed: false, reason: "none" };
      }
      const claim = await tasks.claim(id, agent);
      if (claim.outcome === "claimed") return { claimed: true, task: claim.task };
      const reasons = { taken: "conflict", blocked: "blocked", absent: "notFound" };
      return { claimed: false, reason: reasons[claim.outcome] };
    },

    "inbox.append": async ({ team, agent, from, text, summary }) => {
      const sender = await (await demand(team)).as(from);
      await sender.send(agent, { text, summary });
      return {};
    },
    "inbox.read": async ({ team, agent }) => {
      const { value = [], problems } = await (await demand(team)).mail(agent).page();
      const unread = value.filter(({ entry }) => isUnread(entry));
      return { messages: unread.map(({ key, entry }) => ({ ...entry, key })), problems };
    },
    "inbox.markRead": async ({ team, agent, keys }) => {
      const lease = await (await (await demand(team)).as(agent)).receive();
      try {
        const taken = keys ?? (await lease.take()).map(({ key }) => key);
        await lease.acknowledge(new Set(taken));
      } finally {
        await lease.release();
      }
      return {};
    },
  };
}
