import { type CallQuestion, oneAtATime, type Reply } from "@troupe/team";
import { expect, test } from "vitest";
import { bashCall as bash, permitted } from "../../test/permitted.ts";

const { signal } = new AbortController();
const allow: Reply = { behavior: "allow" };
const denied: Reply = { behavior: "deny", message: "no" };

/** A screen whose dialogs a test answers. */
function screen() {
  const shown: { readonly id: string; readonly answer: (reply: Reply) => void }[] = [];
  let look = () => {};
  const show = ({ id }: CallQuestion, over: AbortSignal) =>
    new Promise<Reply>((answer, fail) => {
      shown.push({ id, answer });
      over.addEventListener("abort", () => fail(new Error("closed")));
      look();
    });
  const nth = (count: number) =>
    new Promise<(reply: Reply) => void>((resolve) => {
      look = () => {
        const one = shown[count - 1];
        if (one) resolve(one.answer);
      };
      look();
    });
  return { show, nth, ids: () => shown.map(({ id }) => id) };
}

test("an answer that grants more than its call settles the questions behind it, and they are not shown", async () => {
  const { show, nth, ids } = screen();
  let next = 0;
  const ask = oneAtATime(show);
  const permissions = permitted("/nowhere/project", "/nowhere", { ask, newId: () => `q${++next}` });
  const calls = Promise.all(
    ["make a", "make b", "other"].map((command) => permissions.permit(bash(command), {}, signal)),
  );
  const rules = [{ toolName: "Bash", ruleContent: "make:*" }];
  (await nth(1))({ ...allow, updates: [{ type: "addRules", rules, behavior: "allow", destination: "session" }] });
  (await nth(2))(denied);
  expect((await calls).map(({ runs }) => runs)).toEqual([true, true, false]);
  expect(ids()).toEqual(["q1", "q3"]);
});
