import type { Codec } from "./codec.ts";
import { readersOf } from "./readers.ts";
import { writersOf } from "./writers.ts";

const lead = ["agentId", "name", "agentType", "model", "joinedAt", "tmuxPaneId", "cwd", "subscriptions"];

/** Teams made by name, inboxes that keep their history: client 2.1.34 to 2.1.147, with 2.1.41 as the reference. */
export const codec202602: Codec = {
  form: "2026-02",
  ...readersOf("2026-02"),
  ...writersOf("2026-02", {
    team: ["name", "description", "createdAt", "leadAgentId", "leadSessionId", "members"],
    lead,
    member: [
      "agentId",
      "name",
      "agentType",
      "model",
      "prompt",
      "color",
      "planModeRequired",
      "joinedAt",
      "tmuxPaneId",
      "cwd",
      "subscriptions",
      "backendType",
      "isActive",
    ],
    entry: ["from", "text", "summary", "timestamp", "color", "read"],
    task: ["id", "subject", "description", "activeForm", "owner", "status", "blocks", "blockedBy", "metadata"],
    leadPaneId: "",
    consume: (raw, positions) =>
      raw.map((entry, position) => (positions.has(position) ? { ...(entry as object), read: true } : entry)),
  }),
};
