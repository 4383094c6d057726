import { describe, expect, test } from "vitest";
import type { Codec } from "./codec.ts";
import { codecFor } from "./detect.ts";

type Fields = Readonly<Record<string, unknown>>;

/** One kind of document or body: its required fields, and those accepted if they are usable. */
interface Kind {
  readonly needed: Fields;
  /** A value that is kept, and one that is not. */
  readonly optional: Readonly<Record<string, readonly [good: unknown, bad: unknown]>>;
  /** Optional fields whose fault takes the whole along; all of them in an answer. */
  readonly vital?: readonly string[];
  /** What a writer gives instead of what a reader merely takes. */
  readonly written?: Fields;
  readonly read: (codec: Codec, fields: Fields) => Found;
}

interface Found {
  readonly value: unknown;
  readonly problems: readonly { readonly path: string }[];
}

const bodyOf = (codec: Codec, fields: Fields): Found => {
  const read = codec.readBody(JSON.stringify(fields));
  return { value: read.kind === "message" ? read.body : undefined, problems: "problems" in read ? read.problems : [] };
};
const teamOf = (codec: Codec, fields: Fields) => {
  const team = { createdAt: 1, leadAgentId: "a@t", members: [{ agentId: "a@t", name: "a" }] };
  return codec.readTeam(JSON.stringify({ name: "t", ...team, ...fields }), "t");
};
const text = ["text", 5] as const;
const time = ["yesterday", 5] as const;
const sent = { timestamp: "2026-02-13T10:45:20Z" };

const kinds: Readonly<Record<string, Kind>> = {
  team: {
    needed: { name: "t", members: [{ agentId: "boss@t", name: "boss" }] },
    optional: {
      description: text,
      createdAt: [1, 1.5],
      leadAgentId: ["boss@t", "boss"],
      leadSessionId: text,
      leadProcess: [{ pid: 1 }, { pid: "1" }],
    },
    read: (codec, fields) => codec.readTeam(JSON.stringify(fields), "t"),
  },
  "lead process": {
    needed: { pid: 1 },
    optional: { pidSpace: text, claimedAt: [1, 1.5], procStart: text },
    read: (codec, leadProcess) => {
      const { value, problems } = teamOf(codec, { leadProcess });
      return { value: value?.leadProcess, problems };
    },
  },
  member: {
    needed: { agentId: "a@t", name: "a" },
    optional: {
      agentType: text,
      model: text,
      prompt: text,
      color: text,
      planModeRequired: [true, "true"],
      joinedAt: [1, 1.5],
      tmuxPaneId: text,
      cwd: text,
      subscriptions: [["x", 5], "x"],
      backendType: text,
      isActive: [false, 0],
    },
    vital: ["planModeRequired"],
    read: (codec, member) => {
      const { value, problems } = teamOf(codec, { members: [member] });
      return { value: value?.members[0], problems };
    },
  },
  entry: {
    needed: { from: "a", text: "hi", timestamp: "yesterday" },
    optional: { summary: text, color: text, msg_id: text, read: [true, "true"], lead_sig: text },
    written: { timestamp: "2026-02-13T10:45:20Z" },
    read: (codec, fields) => {
      const { entries, problems } = codec.readInbox(JSON.stringify([fields]));
      return { value: entries[0], problems };
    },
  },
  task: {
    needed: { id: "1", status: "pending" },
    optional: {
      subject: text,
      description: text,
      activeForm: text,
      owner: ["alice@t", 5],
      blocks: [["2"], "2"],
      blockedBy: [["2"], ["two", "2"]],
      metadata: [{ k: [1] }, ["k"]],
      createdAt: ["2026", true],
      updatedAt: [1.5, true],
    },
    vital: ["owner", "blockedBy"],
    written: { owner: "alice" },
    read: (codec, fields) => codec.readTask(JSON.stringify(fields), "1"),
  },
  task_assignment: {
    needed: { type: "task_assignment", taskId: "1" },
    optional: { subject: text, description: text, assignedBy: text, timestamp: time },
    written: sent,
    read: bodyOf,
  },
  idle_notification: {
    needed: { type: "idle_notification" },
    optional: { from: text, timestamp: time, idleReason: text, summary: text, result: text },
    written: sent,
    read: bodyOf,
  },
  shutdown_request: {
    needed: { type: "shutdown_request", requestId: "r" },
    optional: { from: text, reason: text, timestamp: time },
    written: sent,
    read: bodyOf,
  },
  shutdown_approved: {
    needed: { type: "shutdown_approved", requestId: "r" },
    optional: { from: text, paneId: text, backendType: text, timestamp: time },
    written: sent,
    read: bodyOf,
  },
  shutdown_rejected: {
    needed: { type: "shutdown_rejected", requestId: "r" },
    optional: { from: text, reason: text, timestamp: time },
    written: sent,
    read: bodyOf,
  },
  plan_approval_request: {
    needed: { type: "plan_approval_request", requestId: "r" },
    optional: { from: text, planFilePath: text, planContent: text, timestamp: time },
    written: sent,
    read: bodyOf,
  },
  permission_request: {
    needed: { type: "permission_request", request_id: "r", tool_name: "Bash", input: { command: "ls" } },
    optional: {
      agent_id: text,
      tool_use_id: text,
      description: text,
      permission_suggestions: [[{ type: "setMode", mode: "plan", destination: "session" }], "all"],
    },
    read: bodyOf,
  },
  "approval of a plan": {
    needed: { type: "plan_approval_response", requestId: "r", approved: true },
    optional: { timestamp: time, permissionMode: text, planDigest: text },
    vital: ["timestamp", "permissionMode", "planDigest"],
    written: sent,
    read: bodyOf,
  },
  "rejection of a plan": {
    needed: { type: "plan_approval_response", requestId: "r", approved: false },
    optional: { timestamp: time, feedback: text },
    vital: ["timestamp", "feedback"],
    written: sent,
    read: bodyOf,
  },
  "grant of a permission": {
    needed: {
      type: "permission_response",
      request_id: "r",
      subtype: "success",
      response: { updated_input: { command: "ls" } },
    },
    written: { response: { updated_input: { command: "ls" }, permission_updates: [] } },
    optional: {
      tool_use_id: text,
      approved_request: [{ tool_use_id: "u", tool_name: "Bash", input_digest: "d", more: 1 }, { tool_use_id: "u" }],
    },
    vital: ["tool_use_id", "approved_request"],
    read: bodyOf,
  },
  "refusal of a permission": {
    needed: { type: "permission_response", request_id: "r", subtype: "error" },
    optional: {
      error: text,
      tool_use_id: text,
      approved_request: [{ tool_use_id: "u", tool_name: "B", input_digest: "d" }, 5],
    },
    vital: ["error", "tool_use_id", "approved_request"],
    read: bodyOf,
  },
};

const forms = ["2026-02", "between", "2026-11"] as const;
const cases = Object.entries(kinds).flatMap(([name, kind]) =>
  forms.map((form) => ({ name, form, codec: codecFor(form), ...kind })),
);

describe.each(cases)("$form: the reader of a $name", ({ needed, optional, vital = [], written = {}, ...kind }) => {
  const read = (fields: Fields) => kind.read(kind.codec, fields).value;
  const goods = Object.fromEntries(Object.entries(optional).map(([field, [good]]) => [field, good]));
  const whole: Fields = { ...needed, ...goods, ...written };

  test("a reader of a document needs no other field, and keeps unknown ones", () => {
    expect(read(needed)).toEqual(needed);
    expect(read({ ofTomorrow: { deep: [1] }, ...needed })).toEqual({ ofTomorrow: { deep: [1] }, ...needed });
  });

  test("a reader of a document keeps a usable field", () => {
    for (const [field, [good]] of Object.entries(optional))
      expect(read({ ...needed, [field]: good }), field).toEqual({ ...needed, [field]: good });
  });

  test("leaves out a field that cannot, alone or, where the rest would say more without it, with all that holds it", () => {
    for (const [field, [, bad]] of Object.entries(optional)) {
      for (const value of [bad, null]) {
        const rest = vital.includes(field) ? undefined : needed;
        expect(read({ ...needed, [field]: value }), `${field}: ${JSON.stringify(value)}`).toEqual(rest);
      }
    }
  });

  test("a reader reports no problem in written documents, and treats each field as it treats that field alone", () => {
    expect(kind.read(kind.codec, whole)).toMatchObject({ value: whole, problems: [] });
    for (const [field, [, bad]] of Object.entries(optional)) {
      for (const value of [bad, null]) {
        const { [field]: _gone, ...rest } = whole;
        const found = kind.read(kind.codec, { ...whole, [field]: value });
        expect(found.value, `${field}: ${JSON.stringify(value)}`).toEqual(vital.includes(field) ? undefined : rest);
        expect(found.problems.length, `${field}: ${JSON.stringify(value)}`).toBeGreaterThan(0);
      }
    }
  });

  test("hands out nothing without a field it needs", () => {
    for (const field of Object.keys(needed).filter((key) => key !== "type")) {
      const { [field]: _gone, ...rest } = needed;
      for (const fields of [rest, { ...needed, [field]: null }, { ...needed, [field]: 5.5 }])
        expect(read(fields), JSON.stringify(fields)).toBeUndefined();
    }
  });
});

test("a reader drops only the unusable element of an optional list", () => {
  const body = { type: "permission_request", request_id: "r", tool_name: "Bash", input: {} };
  const sound = { type: "setMode", mode: "plan", destination: "session" };
  for (const form of forms) {
    const codec = codecFor(form);
    for (const written of [{}, { subject: "s", description: "d", blockedBy: [] }]) {
      const task = { id: "1", status: "pending", ...written };
      const read = codec.readTask(JSON.stringify({ ...task, blocks: ["two", "2"] }), "1");
      expect(read.value).toEqual({ ...task, blocks: ["2"] });
      expect(read.problems[0]).toMatchObject({ path: Object.keys(written).length > 0 ? "/blocks/0" : "/subject" });
    }
    const fields = { ...body, permission_suggestions: [5, sound, { type: "setMode" }] };
    expect(bodyOf(codec, fields).value).toEqual({ ...body, permission_suggestions: [sound] });
  }
});

test("an entry says its version and type in any way", () => {
  const entry = { from: "a", text: "t", timestamp: "2026-02-13T10:45:20Z", read: false };
  for (const more of [{ msgV: "two" }, { msgV: null }, { type: 5 }, { type: { a: 1 } }, { msgV: 1, type: "strange" }]) {
    for (const form of forms) {
      const { entries, problems } = codecFor(form).readInbox(JSON.stringify([{ ...entry, ...more }]));
      expect({ entries, problems }).toEqual({ entries: [{ ...entry, ...more }], problems: [] });
    }
  }
});
