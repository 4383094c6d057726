import type { PermissionMode, Revision } from "@troupe/protocol";
import { describe, expect, test } from "vitest";
import { type AgentGates, usualGates } from "../agent/gates.ts";
import type { AgentCall } from "../agent/task.ts";
import { childModes, sessionModes } from "../permissions/modes.ts";
import type { KnownAgent } from "../project/definitions.ts";
import { modeOf } from "./inherit.ts";
import { type Caller, routeOf, type Situation } from "./route.ts";

const agent = (agentType: string, more: Partial<KnownAgent> = {}): KnownAgent => ({
  agentType,
  whenToUse: "always",
  getSystemPrompt: () => "",
  source: "user",
  ...more,
});
const agents = [
  agent("general-purpose"),
  agent("reviewer", { model: "haiku", isolation: "worktree" }),
  agent("watcher", { background: true }),
];
const main: Caller = { kind: "main", depth: 0 };
const lead: Caller = { ...main, team: "squad" };
const mate: Caller = { kind: "teammate", depth: 0, team: "squad" };

function route(
  call: AgentCall,
  { gates = {}, ...over }: Partial<Omit<Situation, "gates">> & { gates?: Partial<AgentGates> } = {},
) {
  const revision = over.revision ?? "2026-02";
  const situation = { agents, denied: () => new Set<string>(), caller: main, ...over, revision };
  const found = routeOf(call, { ...situation, gates: { ...usualGates(revision), ...gates } });
  const { agent: named, ...rest } = { agent: undefined, ...found };
  return { ...rest, ...(named && { type: named.agentType }) };
}
const fork = { isForkEnabled: true, isInteractive: true };

describe("what runs", () => {
  test.each<[string, AgentCall, Parameters<typeof route>[1], object]>([
    ["[ROUTE-18]", { subagent_type: "Reviewer" }, {}, { kind: "agent", type: "reviewer" }],
    ["[ROUTE-18]", { subagent_type: "reviewer" }, { gates: fork }, { kind: "agent", type: "reviewer" }],
    ["[ROUTE-19] [FORK-02]", {}, { gates: fork }, { kind: "fork" }],
    ["[ROUTE-20] [FORK-02]", {}, {}, { kind: "agent", type: "general-purpose" }],
    ["[FORK-03]", {}, { gates: { ...fork, isCoordinator: true } }, { kind: "agent", type: "general-purpose" }],
    ["[FORK-04]", {}, { gates: { ...fork, isInteractive: false } }, { kind: "agent" }],
    ["[ATP-SUB-102]", {}, { revision: "2026-11", gates: fork }, { kind: "agent", type: "general-purpose" }],
    ["[ATP-SUB-102]", { subagent_type: "fork" }, { revision: "2026-11" }, { kind: "fork" }],
    ["[ATP-SUB-002]", { subagent_type: "fork" }, {}, { kind: "fork" }],
    [
      "a name and a team make a teammate:",
      { name: "ann", team_name: "squad" },
      {},
      { kind: "teammate", name: "ann", team: "squad" },
    ],
    ["a name is enough for a lead:", { name: "ann" }, { caller: lead }, { kind: "teammate", team: "squad" }],
    ["[ROUTE-07]", { name: "ann" }, {}, { kind: "agent" }],
    [
      "in 2026-11 the lead's own team is joined:",
      { name: "ann", team_name: "x", isolation: "worktree" },
      { revision: "2026-11", caller: lead },
      { kind: "teammate", team: "squad" },
    ],
    [
      "in 2026-11 without a team none is joined:",
      { name: "ann", team_name: "x" },
      { revision: "2026-11" },
      { kind: "agent", isBackground: true },
    ],
    [
      "another machine makes no teammate:",
      { name: "ann", isolation: "remote" },
      { caller: lead, gates: { isRemoteEnabled: true } },
      { kind: "remote" },
    ],
    [
      "another machine is for who has one:",
      { isolation: "remote" },
      { gates: { isRemoteEnabled: true } },
      { kind: "remote" },
    ],
    ["[ROUTE-15]", { isolation: "remote" }, {}, { kind: "refused", why: expect.stringMatching(/isolation/) }],
    [
      "[ROUTE-23] [PERM-04]",
      { name: "bob", team_name: "squad" },
      { caller: mate },
      { kind: "refused", why: expect.stringMatching(/ask the lead/) },
    ],
    ...["user", "System", "team-lead", "assistant"].flatMap((name): [string, AgentCall, object, object][] =>
      [{}, { caller: lead }, { revision: "2026-11" }].map((more) => [
        `called ${name}`,
        { name },
        more,
        { kind: "refused", why: expect.stringContaining("choose another name") },
      ]),
    ),
    ["[PERM-04]", { subagent_type: "reviewer" }, { caller: { kind: "fork", depth: 0 } }, { kind: "refused" }],
    [
      "[ROUTE-24] [PERM-04]",
      { run_in_background: true },
      { caller: mate },
      { kind: "refused", why: expect.stringMatching(/background/) },
    ],
    ["[ROUTE-24] [PERM-04]", { subagent_type: "watcher" }, { caller: mate, revision: "2026-11" }, { kind: "refused" }],
    ["[ROUTE-24]", {}, { caller: mate, revision: "2026-11" }, { kind: "agent", isBackground: false }],
    [
      "[LIM-01]",
      {},
      { caller: { kind: "agent", depth: 1 } },
      { kind: "refused", why: expect.stringMatching(/depth of 1/) },
    ],
    ["[ATP-SUB-107]", {}, { caller: { kind: "agent", depth: 2 }, revision: "2026-11" }, { kind: "agent" }],
    ["[ATP-SUB-107]", {}, { caller: { kind: "agent", depth: 3 }, revision: "2026-11" }, { kind: "refused" }],
    [
      "[PERM-02]",
      { subagent_type: "nobody" },
      {},
      { kind: "refused", why: expect.stringMatching(/"nobody".*general-purpose, reviewer, watcher/) },
    ],
    [
      "[PERM-02] what is denied is not suggested:",
      { subagent_type: "nobody" },
      { denied: () => new Set(["reviewer"]) },
      { kind: "refused", why: expect.stringMatching(/"nobody".*general-purpose, watcher/) },
    ],
  ])("%s %j with %j", (_, call, over, expected) => {
    expect(route(call, over)).toMatchObject(expected);
  });
});

describe("how it runs", () => {
  test.each<[string, AgentCall, Parameters<typeof route>[1], object]>([
    ["[ROUTE-17] [ATP-SUB-011]", { subagent_type: "reviewer", model: "opus" }, {}, { model: "opus" }],
    ["[ROUTE-17]", { subagent_type: "reviewer" }, {}, { model: "haiku" }],
    [
      "[ROUTE-05] [ROUTE-16]",
      { subagent_type: "reviewer", model: "opus" },
      { gates: { isCoordinator: true } },
      { model: "haiku" },
    ],
    ["[ROUTE-17] [ATP-SUB-011]", { subagent_type: "reviewer" }, {}, { isolation: "worktree" }],
    [
      "[ROUTE-11]",
      { subagent_type: "reviewer", cwd: "/elsewhere" },
      { gates: { isCwdEnabled: true } },
      { cwd: "/elsewhere" },
    ],
    ["[ROUTE-14]", { subagent_type: "general-purpose", cwd: "/elsewhere" }, {}, { isolation: undefined }],
    ["[ATP-WT-008]", { cwd: "/elsewhere", isolation: "worktree" }, {}, { kind: "refused" }],
    ["[ATP-WT-008]", { cwd: "/elsewhere", isolation: "worktree" }, { revision: "2026-11" }, { kind: "agent" }],
    ["[SYNC-01]", {}, {}, { isBackground: false }],
    ["[ASYNC-01]", { run_in_background: true }, {}, { isBackground: true }],
    ["[ASYNC-02]", { subagent_type: "watcher", run_in_background: false }, {}, { isBackground: true }],
    ["[ASYNC-03]", {}, { gates: { isCoordinator: true } }, { isBackground: true }],
    ["[ASYNC-04]", { subagent_type: "reviewer" }, { gates: fork }, { isBackground: true }],
    ["[ASYNC-05] [ASYNC-06]", {}, { gates: { isAlwaysBackground: true } }, { isBackground: true }],
    ["[ASYNC-15]", { run_in_background: true }, { gates: { isBackgroundDisabled: true } }, { isBackground: false }],
    [
      "[ATP-SUB-101]",
      { run_in_background: false },
      { revision: "2026-11", gates: { isInteractive: true } },
      { isBackground: true },
    ],
    ["[ATP-SUB-101]", { run_in_background: false }, { revision: "2026-11" }, { isBackground: false }],
    ["[ATP-SUB-101]", {}, { revision: "2026-11" }, { isBackground: true }],
    ["[ATP-SUB-101]", { run_in_background: false, name: "ann" }, { revision: "2026-11" }, { isBackground: true }],
  ])("%s %j with %j", (_, call, over, expected) => {
    expect(route(call, over)).toMatchObject(expected);
  });
});

describe("the mode that it works in", () => {
  const worksIn = (
    permissionMode: PermissionMode | undefined,
    caller: PermissionMode,
    revision: Revision,
    gates: Partial<AgentGates> = {},
  ) => {
    const { mode, bounds } = modeOf({ permissionMode }, { revision, gates: { ...usualGates(revision), ...gates } });
    const session = sessionModes(caller);
    return childModes(mode, session, session, bounds).now();
  };
  const own = ["plan", "dontAsk", "default", "acceptEdits", "bypassPermissions"] as const;
  const every = (mode: PermissionMode) => own.map(() => mode);

  test.each([
    ["2026-02", "plan", every("plan")],
    ["2026-02", "dontAsk", ["plan", ...every("dontAsk").slice(1)]],
    ["2026-02", "default", ["plan", "dontAsk", "default", "default", "default"]],
    ["2026-02", "acceptEdits", ["plan", "dontAsk", "default", "acceptEdits", "acceptEdits"]],
    ["2026-02", "delegate", ["plan", "dontAsk", "default", "default", "default"]],
    ["2026-02", "bypassPermissions", every("bypassPermissions")],
    ["2026-11", "plan", every("plan")],
    ["2026-11", "default", ["plan", "dontAsk", "default", "default", "default"]],
    ["2026-11", "acceptEdits", every("acceptEdits")],
    ["2026-11", "auto", every("auto")],
    ["2026-11", "bypassPermissions", every("bypassPermissions")],
  ] as const)("in %s no definition exceeds a caller that works in %s: %j", (revision, caller, expected) => {
    expect(own.map((mode) => worksIn(mode, caller, revision))).toEqual(expected);
  });

  test("[PERM-06] where the definition says none, it is that of the caller in 2026-11, and at most default in 2026-02", () => {
    const callers = ["plan", "dontAsk", "default", "acceptEdits", "delegate"] as const;
    const modes = (["2026-02", "2026-11"] as const).map((revision) =>
      callers.map((caller) => worksIn(undefined, caller, revision)),
    );
    const lent = ["plan", "dontAsk", "default", "acceptEdits", "default"];
    expect(modes).toEqual([["plan", "dontAsk", "default", "default", "default"], lent]);
  });

  test.each(["2026-02", "2026-11"] as const)(
    "in %s the setting acceptEdits lets agents exceed a session that asks about edits, and none that only plans or asks nobody",
    (revision) => {
      const gates = { agentMode: "acceptEdits" } as const;
      const modes = (["plan", "dontAsk", "default", "delegate"] as const).map((caller) =>
        [undefined, "acceptEdits" as const, "bypassPermissions" as const].map((mode) =>
          worksIn(mode, caller, revision, gates),
        ),
      );
      const [plan, dontAsk, most] = (["plan", "dontAsk", "acceptEdits"] as const).map((mode) => [mode, mode, mode]);
      expect(modes).toEqual([plan, dontAsk, most, most]);
    },
  );
});
