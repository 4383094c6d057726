import { isRecord } from "../record.ts";
import { entries, inboxes } from "./parts.ts";
import { about, keyFault, orderFault, type Part, type Rule, type Subject } from "./rule.ts";

const timestamp =
  /^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:([0-5][0-9]|60)(\.[0-9]+)?Z$/;

const stringFault = ({ fields }: Part, keys: readonly string[]): string | undefined => {
  const wrong = keys.filter((key) => typeof fields[key] !== "string");
  return wrong.length > 0 ? `${wrong.join(", ")}: no string` : undefined;
};

/** Structured messages with how each spells the id of its request. */
const requests = (subject: Subject): readonly Part[] =>
  entries(subject).flatMap((entry) => {
    const body = bodyOf(entry.fields["text"]);
    return body && idKeys.has(String(body["type"]))
      ? [{ ...entry, at: `${entry.at}/text`, value: body, fields: body }]
      : [];
  });

const idKeys: ReadonlyMap<string, string> = new Map([
  ["shutdown_request", "requestId"],
  ["shutdown_approved", "requestId"],
  ["shutdown_rejected", "requestId"],
  ["plan_approval_request", "requestId"],
  ["plan_approval_response", "requestId"],
  ["permission_request", "request_id"],
  ["permission_response", "request_id"],
]);

function bodyOf(text: unknown): Readonly<Record<string, unknown>> | undefined {
  if (typeof text !== "string") return undefined;
  try {
    const body: unknown = JSON.parse(text);
    return isRecord(body) ? body : undefined;
  } catch {
    return undefined;
  }
}

/** Rules about inboxes and their entries. */
export const inboxRules: readonly Rule[] = [
  {
    id: "GRADE-INBOX/a",
    title: "an inbox is an array",
    requirements: ["ATP-INB-001", "ATP-INB-110"],
    judge: about(inboxes, ({ value }) => (Array.isArray(value) ? undefined : "is no array")),
  },
  {
    id: "GRADE-INBOX/b",
    title: "an entry has from, text, timestamp and read",
    requirements: ["ATP-INB-001"],
    judge: about(
      entries,
      (part) =>
        stringFault(part, ["from", "text", "timestamp"]) ??
        (typeof part.fields["read"] === "boolean" ? undefined : "read: no boolean"),
    ),
  },
  {
    id: "GRADE-INBOX/c",
    title: "an entry has the strings from, text and timestamp",
    requirements: ["ATP-INB-101", "ATP-INB-102"],
    judge: about(entries, (part) => stringFault(part, ["from", "text", "timestamp"])),
  },
  {
    id: "GRADE-INBOX/d",
    title: "times are ISO 8601 in UTC",
    requirements: ["ATP-INB-002"],
    judge: about(entries, ({ fields }) =>
      timestamp.test(String(fields["timestamp"])) ? undefined : `timestamp is ${JSON.stringify(fields["timestamp"])}`,
    ),
  },
  {
    id: "GRADE-INBOX/e",
    title: "no entry is marked as read",
    requirements: ["ATP-INB-104"],
    judge: about(entries, ({ fields }) => (fields["read"] === true ? "read is true" : undefined)),
  },
  {
    id: "GRADE-INBOX/f",
    title: "the keys of an entry stand in the order of the reference client",
    requirements: ["ATP-INB-105"],
    judge: about(entries, ({ fields }) => orderFault(fields, order)),
  },
  {
    id: "GRADE-INBOX/g",
    title: "an entry says its form, its own id and its type",
    requirements: ["ATP-INB-106"],
    judge: about(entries, ({ fields }) => keyFault(fields, ["msgV", "msg_id", "type"])),
  },
  {
    id: "GRADE-MESSAGE/a",
    title: "a message spells the id of its request as its kind does",
    requirements: ["ATP-MSG-020"],
    judge: about(requests, ({ fields }) => {
      const key = idKeys.get(String(fields["type"])) ?? "";
      const other = key === "requestId" ? "request_id" : "requestId";
      return keyFault(fields, [key], [other]);
    }),
  },
];

const order = ["from", "text", "summary", "timestamp", "color", "msgV", "msg_id", "type", "read", "lead_sig"];
