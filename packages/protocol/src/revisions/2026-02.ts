import { isObject } from "../json/is-object.ts";
import { amendmentsOf } from "./amendments.ts";
import type { Codec } from "./codec.ts";
import { readersOf } from "./readers.ts";
import { type WrittenForm, writersOf } from "./writers.ts";

const form: WrittenForm = {
  team: ["name", "description", "createdAt", "leadAgentId", "leadSessionId", "members"],
  lead: ["agentId", "name", "agentType", "model", "joinedAt", "tmuxPaneId", "cwd", "subscriptions"],
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
  entry: ["from", "text", "summary", "timestamp", "color", "read", "urgent"],
  task: ["id", "subject", "description", "activeForm", "owner", "status", "blocks", "blockedBy", "metadata"],
  leadPaneId: "",
  consumed: (raw, positions) =>
    raw.map((entry, position) => (positions.has(position) && isObject(entry) ? { ...entry, read: true } : entry)),
};

/**
 * Teams created by name, inboxes that keep their history: client 2.1.34 to 2.1.147, reference
 * 2.1.41.
 */
export const codec202602: Codec = {
  form: "2026-02",
  unblocksOnDisk: true,
  removesTasksWithTeam: true,
  announcesOwnTasks: false,
  makesLockWithTeam: true,
  ...readersOf("2026-02"),
  ...writersOf("2026-02", form),
  ...amendmentsOf("2026-02", form),
};
