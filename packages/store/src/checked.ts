import { isRevision, TroupeError } from "@troupe/protocol";
import { assertGiven, type Shape } from "@troupe/protocol/rules";
import type { Lease, Mail, Onlook, Participant, Store, Tasks, Team } from "./store.ts";

// A caller in JavaScript may give anything: what is none of what is asked for is refused before
// anything is touched.

/** The methods that return no promise. */
const synchronous = new Set(["tasksOfSession", "onlook", "mail", "watch", "history", "past"]);

/** The methods that may be called twice. */
const always = new Set(["close", "release"]);

/** A handle that does nothing any more once its store is closed. */
export function whileOpen<T extends object>(closing: AbortSignal, handle: T): T {
  const guarded = Object.entries(handle).map(([name, value]) => {
    const isLeft = typeof value !== "function" || always.has(name);
    return [name, isLeft ? value : guardOf(closing, value, synchronous.has(name))] as const;
  });
  return Object.fromEntries(guarded) as T;
}

type Method = (...args: unknown[]) => unknown;

/** One function for each method: a session in the process of its lead has hundreds of them. */
function guardOf(closing: AbortSignal, method: Method, isSynchronous: boolean): Method {
  if (!isSynchronous)
    return async (...args) => {
      assertOpen(closing);
      return method(...args);
    };
  return (...args) => {
    assertOpen(closing);
    return method(...args);
  };
}

function assertOpen(closing: AbortSignal): void {
  if (closing.aborted) throw new TroupeError("store_closed", "this store was closed: open it again");
}

const draftShape: Shape = { subject: "string", description: "string", activeForm: "string?", metadata: "json?" };
const tiesShape: Shape = { owner: "string?", addBlocks: "strings?", addBlockedBy: "strings?" };
const partingShape: Shape = { removeBlocks: "strings?", removeBlockedBy: "strings?" };
const fieldShape: Shape = { subject: "string?", description: "string?", activeForm: "string?", status: "string?" };
const override: Shape = { evenIfActive: "boolean?" };
const teamShape: Shape = {
  name: "string",
  leadSessionId: "string",
  leadModel: "string",
  cwd: "string",
  createdAt: "number",
  description: "string?",
  leadName: "string?",
  leadProcess: "json?",
};
const mateShape: Shape = {
  name: "string",
  agentType: "string",
  model: "string",
  prompt: "string",
  cwd: "string",
  joinedAt: "number",
  planModeRequired: "boolean?",
};
const onceShape: Shape = { once: "string?" };

export const checkedStore = (closing: AbortSignal, store: Store): Store =>
  whileOpen(closing, {
    async createTeam(draft, options = {}) {
      assertGiven("createTeam", draft, teamShape);
      assertGiven("createTeam", options, onceShape);
      const { revision } = draft;
      if (revision !== undefined && !isRevision(revision))
        throw new TroupeError("arguments_invalid", "revision of createTeam is none: give 2026-02 or 2026-11", {
          field: "revision",
        });
      return store.createTeam(draft, options);
    },
    async openTeam(name) {
      assertGiven("openTeam", { name }, { name: "string" });
      return store.openTeam(name);
    },
    listTeams: () => store.listTeams(),
    async deleteTeam(name, options = {}) {
      assertGiven("deleteTeam", { name }, { name: "string" });
      assertGiven("deleteTeam", options, override);
      return store.deleteTeam(name, options);
    },
    tasksOfSession(sessionId) {
      assertGiven("tasksOfSession", { sessionId }, { sessionId: "string" });
      return store.tasksOfSession(sessionId);
    },
    async savePlan(name, text) {
      assertGiven("savePlan", { name, text }, { name: "string", text: "string" });
      return store.savePlan(name, text);
    },
    async readPlan(name) {
      assertGiven("readPlan", { name }, { name: "string" });
      return store.readPlan(name);
    },
    onlook: () => checkedOnlook(closing, store.onlook()),
    past(name) {
      assertGiven("past", { name }, { name: "string" });
      return store.past(name);
    },
    close: () => store.close(),
  });

export const checkedTeam = (closing: AbortSignal, team: Team): Team =>
  whileOpen(closing, {
    ...team,
    tasks: whileOpen(closing, team.tasks),
    async join(draft, options = {}) {
      assertGiven("join", draft, mateShape);
      assertGiven("join", options, onceShape);
      return team.join(draft, options);
    },
    async claim(process) {
      assertGiven("claim", { process }, { process: "json" });
      return team.claim(process);
    },
    async updateMember(name, patch) {
      assertGiven("updateMember", { name, patch }, { name: "string", patch: "json" });
      return team.updateMember(name, patch);
    },
    async leave(name) {
      assertGiven("leave", { name }, { name: "string" });
      return team.leave(name);
    },
    async as(name) {
      assertGiven("as", { name }, { name: "string" });
      return checkedParticipant(closing, await team.as(name));
    },
    watch(signal) {
      assertGiven("watch", { signal }, { signal: "signal?" });
      return team.watch(signal);
    },
    async compact(options = {}) {
      assertGiven("compact", options, override);
      return team.compact(options);
    },
    mail(name) {
      assertGiven("mail", { name }, { name: "string" });
      return checkedMail(team.mail(name));
    },
    history(after, signal) {
      assertGiven("history", { after, signal }, { after: "string?", signal: "signal?" });
      return team.history(after, signal);
    },
  });

const lookShape: Shape = { isPatient: "boolean?" };

const checkedOnlook = (closing: AbortSignal, onlook: Onlook): Onlook =>
  whileOpen(closing, {
    async team(name, options = {}) {
      assertGiven("team", { name }, { name: "string" });
      assertGiven("team", options, lookShape);
      return onlook.team(name, options);
    },
    async list(name, options = {}) {
      assertGiven("list", { name }, { name: "string" });
      assertGiven("list", options, lookShape);
      return onlook.list(name, options);
    },
    async all(options = {}) {
      assertGiven("all", options, lookShape);
      return onlook.all(options);
    },
  });

const checkedMail = (mail: Mail): Mail => ({
  async page(options = {}) {
    assertGiven("page", options, { before: "string?", limit: "number?" });
    const { limit = 1 } = options;
    if (!(limit >= 1))
      throw new TroupeError("arguments_invalid", `limit of page is ${limit}: give 1 or more`, { field: "limit" });
    return mail.page(options);
  },
});

const checkedParticipant = (closing: AbortSignal, self: Participant): Participant =>
  whileOpen(closing, {
    ...self,
    tasks: whileOpen(closing, self.tasks),
    async send(to, content, stamp, options = {}) {
      assertGiven("send", { to, content, stamp }, { to: "string", content: "object", stamp: "object?" });
      assertGiven(
        "send",
        content,
        "body" in content ? { body: "json" } : { text: "string", summary: "string?", urgent: "boolean?" },
      );
      if (stamp) assertGiven("the stamp of send", stamp, { at: "string", id: "string" });
      assertGiven("send", options, onceShape);
      return self.send(to, content, stamp, options);
    },
    async receive(options = {}) {
      assertGiven("receive", options, { deadlineMs: "number?" });
      const { deadlineMs = 0 } = options;
      if (!(deadlineMs >= 0))
        throw new TroupeError("arguments_invalid", `deadlineMs of receive is ${deadlineMs}: give 0 or more`, {
          field: "deadlineMs",
        });
      return whileOpen(closing, checkedLease(await self.receive(options)));
    },
    async record(event) {
      assertGiven("record", { event }, { event: "json" });
      return self.record(event);
    },
  });

const checkedLease = (lease: Lease): Lease => ({
  ...lease,
  async wait(signal) {
    assertGiven("wait", { signal }, { signal: "signal?" });
    return lease.wait(signal);
  },
  async acknowledge(keys) {
    assertGiven("acknowledge", { keys }, { keys: "set" });
    return lease.acknowledge(keys);
  },
});

export const checkedTasks = (tasks: Tasks): Tasks => ({
  ...tasks,
  async create(draft, ties = {}, by) {
    assertGiven("create", draft, draftShape);
    assertGiven("create", ties, { ...tiesShape, ...onceShape });
    assertGiven("create", { by }, { by: "string?" });
    return tasks.create(draft, ties, by);
  },
  async get(id) {
    assertGiven("get", { id }, { id: "string" });
    return tasks.get(id);
  },
  async update(id, change, by) {
    assertGiven("update", { id, by }, { id: "string", by: "string?" });
    assertGiven("update", change, { ...fieldShape, ...tiesShape, ...partingShape, metadata: "json?" });
    return tasks.update(id, change, by);
  },
  async claim(id, agent) {
    assertGiven("claim", { id, agent }, { id: "string", agent: "string" });
    return tasks.claim(id, agent);
  },
  async claimNext(agent) {
    assertGiven("claimNext", { agent }, { agent: "string" });
    return tasks.claimNext(agent);
  },
  async release(id, agent) {
    assertGiven("release", { id, agent }, { id: "string", agent: "string?" });
    return tasks.release(id, agent);
  },
  async complete(id) {
    assertGiven("complete", { id }, { id: "string" });
    return tasks.complete(id);
  },
  async remove(id) {
    assertGiven("remove", { id }, { id: "string" });
    return tasks.remove(id);
  },
});
