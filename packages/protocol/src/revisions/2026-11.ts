import { amendmentsOf } from "./amendments.ts";
import type { Codec } from "./codec.ts";
import { readersOf } from "./readers.ts";
import { type WrittenForm, writersOf } from "./writers.ts";

const form: WrittenForm = {
  team: ["name", "createdAt", "leadAgentId", "leadSessionId", "leadProcess", "members"],
  lead: ["agentId", "name", "agentType", "joinedAt", "tmuxPaneId", "cwd", "subscriptions", "backendType"],
  member: [
    "agentId",
    "name",
    "color",
    "joinedAt",
    "tmuxPaneId",
    "subscriptions",
    "agentType",
    "model",
    "prompt",
    "planModeRequired",
    "cwd",
    "backendType",
    "isActive",
  ],
  entry: ["from", "text", "summary", "timestamp", "color", "msgV", "msg_id", "type", "read", "lead_sig", "urgent"],
  task: ["id", "subject", "description", "activeForm", "owner", "status", "blocks", "blockedBy", "metadata"],
  leadPaneId: "leader",
  // An element that is not a message would stay for ever; the reader has reported it.
  consumed: (raw, positions, messages) =>
    raw.filter((_, position) => messages.has(position) && !positions.has(position)),
};

/**
 * One team per session, inboxes that hold what waits: client 2.1.178 and later, reference 2.1.326.
 */
export const codec202611: Codec = {
  form: "2026-11",
  unblocksOnDisk: false,
  removesTasksWithTeam: false,
  announcesOwnTasks: true,
  makesLockWithTeam: false,
  ...readersOf("2026-11"),
  ...writersOf("2026-11", form),
  ...amendmentsOf("2026-11", form),
};
