import { randomUUID } from "node:crypto";
import type { Ask, Reply } from "@troupe/team";
import { expect, test } from "vitest";
import { bashCall as bash, permitted } from "../../test/permitted.ts";
import { createQueue } from "../queue.ts";
import { screenOf } from "../session/screen.ts";

const { signal } = new AbortController();
const allow: Reply = { behavior: "allow" };
const denied: Reply = { behavior: "deny", message: "no" };

test("an answer that grants more than its call settles the questions behind it, and they are not shown", async () => {
  const rules = [{ toolName: "Bash", ruleContent: "make:*" }];
  const granting = { ...allow, updates: [{ type: "addRules", rules, behavior: "allow", destination: "session" }] };
  const replies: Reply[] = [granting, denied];
  const shown: string[] = [];
  let next = 0;
  const answered: Ask = async ({ id }) => {
    shown.push(id);
    return replies.shift() ?? denied;
  };
  const { ask } = screenOf({ person: { ask: answered }, queue: createQueue({ newId: randomUUID }), onEvent: () => {} });
  const permissions = permitted("/nowhere/project", "/nowhere", { ask, newId: () => `q${++next}` });
  const calls = Promise.all(
    ["make a", "make b", "other"].map((command) => permissions.permit(bash(command), {}, signal)),
  );
  expect((await calls).map(({ runs }) => runs)).toEqual([true, true, false]);
  expect(shown).toEqual(["q1", "q3"]);
});
