import { codec202602 } from "./2026-02.ts";
import { codec202611 } from "./2026-11.ts";
import { codecBetween } from "./between.ts";
import type { Codec } from "./codec.ts";
import type { Form } from "./revision.ts";

const codecs: Readonly<Record<Form, Codec>> = {
  "2026-02": codec202602,
  between: codecBetween,
  "2026-11": codec202611,
};

export const codecFor = (form: Form): Codec => codecs[form];

/**
 * The form of a team that exists, from its config and what its inboxes hold, both as parsed. Undefined when the config cannot tell,
 * being absent or torn: then nothing may be written. Never throws.
 */
export function detectForm(config: unknown, inboxes: Iterable<unknown>): Form | undefined {
  if (!isObject(config) || !Array.isArray(config["members"])) return undefined;
  const members = config["members"].filter(isObject);
  const lead =
    members.find((member) => member["agentId"] === config["leadAgentId"]) ??
    members.find((member) => member["agentType"] === "team-lead");
  if (lead?.["tmuxPaneId"] === "leader" || Object.hasOwn(config, "leadProcess")) return "2026-11";
  for (const inbox of inboxes) {
    if (Array.isArray(inbox) && inbox.some((entry) => isObject(entry) && Object.hasOwn(entry, "type")))
      return "between";
  }
  return "2026-02";
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
