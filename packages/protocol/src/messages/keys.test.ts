import { expect, test } from "vitest";
import { toJsonSchema } from "../published.ts";
import { revisions } from "../revisions/revision.ts";
import { messageKinds } from "./body.ts";

/** Read in 2026-02 as well, but not written there. */
const ofLaterRevision: Record<string, string[]> = {
  idle_notification: ["result"],
  plan_approval_response: ["planDigest"],
  permission_response: ["tool_use_id", "approved_request"],
};

test.each(messageKinds)(
  "$type: the keys that are written are the properties of what is published",
  ({ type, keys, published }) => {
    for (const revision of revisions) {
      const schema = toJsonSchema(revision, type, published[revision]);
      const branches = (schema["oneOf"] as { properties: object }[] | undefined) ?? [schema as { properties?: object }];
      const properties = new Set(branches.flatMap(({ properties = {} }) => Object.keys(properties)));
      const later = revision === "2026-02" ? (ofLaterRevision[type] ?? []) : [];
      expect([...properties].filter((key) => !later.includes(key)).sort()).toEqual([...keys[revision]].sort());
    }
  },
);
