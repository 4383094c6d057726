import { TroupeError } from "../errors.ts";
import { shown } from "../given.ts";
import { isObject } from "../json/is-object.ts";
import { type JsonInput, readJson } from "../json/read-json.ts";
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

export function codecFor(form: Form): Codec {
  if (typeof form === "string" && Object.hasOwn(codecs, form)) return codecs[form];
  const message = `${shown(form)} is no form of the protocol: give one of ${Object.keys(codecs).join(", ")}`;
  throw new TroupeError("arguments_invalid", message, { field: "form" });
}

/**
 * Detects the form of an existing team from its config and all its inboxes: without the inboxes a
 * form in between looks like 2026-02. Undefined when the config is absent or torn: then nothing may
 * be written. Never throws.
 */
export function detectForm(config: JsonInput, inboxes: Iterable<JsonInput>): Form | undefined {
  const { value: team } = readJson(config);
  if (!isObject(team) || !Array.isArray(team["members"])) return undefined;
  const members = team["members"].filter(isObject);
  const lead =
    members.find((member) => member["agentId"] === team["leadAgentId"]) ??
    members.find((member) => member["agentType"] === "team-lead");
  if (lead?.["tmuxPaneId"] === "leader" || Object.hasOwn(team, "leadProcess")) return "2026-11";
  for (const inbox of inboxes) {
    if (!mayHaveType(inbox)) continue;
    const { value: entries } = readJson(inbox);
    if (Array.isArray(entries) && entries.some((entry) => isObject(entry) && Object.hasOwn(entry, "type")))
      return "between";
  }
  return "2026-02";
}

/** False for a text without that key, also in parts of it: most need not be parsed to tell. */
function mayHaveType(input: JsonInput): boolean {
  if (typeof input !== "string" && !(input instanceof Uint8Array)) return true;
  const text = typeof input === "string" ? input : Buffer.from(input.buffer, input.byteOffset, input.byteLength);
  // A letter of the key may be written as an escape, which no known writer does.
  return text.includes('"type"') || (text.includes("\\u00") && /\\u00(?:74|79|70|65)/.test(`${text}`));
}
