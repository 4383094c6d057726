import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Codec, codecFor, colors, layoutOf, nameKey, revisions } from "@troupe/protocol";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Team } from "../store.ts";
import { openTeamFiles } from "./team.ts";

type Raw = Record<string, unknown>;

/**
 * A model of a config: a list of members below a lead, and whatever else others have written into
 * it.
 */
function createModel(codec: Codec) {
  const { members, ...rest } = codec.newTeam({
    name: "t",
    createdAt: 1,
    leadSessionId: "s",
    leadModel: "m",
    cwd: "/p",
  });
  const others: Raw = { ...rest };
  let listed: Raw[] = members;
  const named = (name: string) => listed.find((member) => member["name"] === name);
  const nextColor = () => {
    const last = listed
      .slice(1)
      .filter(({ agentId, name }) => agentId && name)
      .at(-1);
    return colors[(last ? colors.indexOf(last["color"] as never) + 1 : 0) % colors.length] ?? "blue";
  };
  return {
    file: () => ({ ...others, members: listed }),
    join(draft: Parameters<Team["join"]>[0]) {
      if (listed.some(({ name }) => typeof name === "string" && nameKey(name) === nameKey(draft.name)))
        return "name_taken";
      const member = codec.newTeammate({ ...draft, team: "t", color: nextColor() });
      listed = [...listed, member];
      return member;
    },
    update(name: string, patch: Raw) {
      const member = named(name);
      if (member) listed = listed.map((one) => (one === member ? { ...one, ...patch } : one));
      return member !== undefined;
    },
    leave(name: string) {
      if (name === "team-lead") return "lead_fixed";
      const isThere = named(name) !== undefined;
      listed = listed.filter((member) => member["name"] !== name);
      return isThere;
    },
    add: (member: Raw) => listed.push(member),
    set: (key: string, value: unknown) => Object.assign(others, { [key]: value }),
  };
}

const handle = fc.nat(1);
const name = fc.constantFrom("alice", "Alice", "bob", "b\u00f6b", "bo\u0308b", "carol", "dave", "team-lead");
const layout = fc.constantFrom(0, 2, 4);
const strangers = fc.constantFrom<Raw>(
  { odd: true },
  { agentId: "x1@t", name: "x1" },
  { agentId: "x2@t", name: "x2", color: "mauve", backendType: "pane" },
  { agentId: "x3@elsewhere", name: "x3", isActive: "yes", subscriptions: [{}] },
);
const patch = fc.constantFrom<Raw>({ isActive: true }, { tmuxPaneId: "%3", backendType: "tmux" }, { model: "opus" });
const operation = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("join" as const), handle, name }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("update" as const), handle, name, patch }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("leave" as const), handle, name }) },
  fc.record({ kind: fc.constant("foreign member" as const), member: strangers, layout }),
  fc.record({
    kind: fc.constant("foreign field" as const),
    value: fc.json().map((text) => JSON.parse(text) as unknown),
    layout,
  }),
  fc.record({ kind: fc.constant("foreign change" as const), name, patch: strangers, layout }),
);
type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never;

interface Scene {
  readonly config: string;
  readonly handles: readonly Team[];
  readonly model: ReturnType<typeof createModel>;
}

const codeOf = (error: { code?: unknown }): unknown => error.code ?? error;

/** Does one thing to both, and returns how either says that it ended. */
async function perform(step: Operation, { config, handles, model }: Scene): Promise<[unknown, unknown]> {
  const roster = handles["handle" in step ? step.handle : 0] as Team;
  const rewrite = (change: unknown): [unknown, unknown] => {
    writeFileSync(config, JSON.stringify(model.file(), null, "layout" in step ? step.layout : 2));
    return [change, change];
  };
  switch (step.kind) {
    case "join": {
      const draft = { name: step.name, agentType: "worker", model: "m", prompt: "go", joinedAt: 2, cwd: "/p" };
      return [await roster.join(draft).catch(codeOf), model.join(draft)];
    }
    case "update":
      return [await roster.updateMember(step.name, step.patch), model.update(step.name, step.patch)];
    case "leave":
      return [await roster.leave(step.name).catch(codeOf), model.leave(step.name)];
    case "foreign member":
      return rewrite(model.add({ ...step.member }));
    case "foreign field":
      return rewrite(model.set("future", step.value));
    case "foreign change":
      return rewrite(model.update(step.name, { future: step.patch }));
  }
}

describe.each(revisions)("%s", (revision) => {
  test("[ATP-CFG-008] [ATP-CFG-010] [ATP-MEM-015] whatever two handles and others do one after the other, the config is what a plain list is", async () => {
    const root = mkdtempSync(join(tmpdir(), "troupe-model-"));
    const codec = codecFor(revision);
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { minLength: 10, maxLength: 30 }), async (steps) => {
        run += 1;
        const layout = layoutOf(join(root, `${run}`)).team("t");
        mkdirSync(layout.directory, { recursive: true });
        const handles = [0, 1].map(() =>
          openTeamFiles({ name: "t", layout, codec, now: () => new Date(), newId: () => crypto.randomUUID() }),
        );
        const scene: Scene = { config: layout.config, handles, model: createModel(codec) };
        writeFileSync(layout.config, codec.write(scene.model.file()));
        for (const step of steps) {
          const [got, expected] = await perform(step, scene);
          expect(got, JSON.stringify(step)).toEqual(expected);
          expect(JSON.parse(readFileSync(layout.config, "utf8")), JSON.stringify(step)).toEqual(scene.model.file());
        }
      }),
      { numRuns: 30 },
    );
    rmSync(root, { recursive: true });
  });
});
