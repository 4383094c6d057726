import { existsSync } from "node:fs";
import { layoutOf } from "@troupe/protocol";
import { bubbleTo, type CallQuestion } from "@troupe/team";
import { expect, test } from "vitest";
import { permissionMail } from "../../test/permission-mail.ts";
import { bashCall, permitted, ruleBelow } from "../../test/permitted.ts";

const { signal } = new AbortController();
const badge = { name: "alice", color: "blue" };
const rules = [ruleBelow("/nowhere")("allow", "Bash(make:*)"), ruleBelow("/nowhere")("deny", "Bash(ship:*)")];

test("[PERM-20] [PERM-21] [ATP-PRM-103] a teammate in the lead's process decides what its rules say, asks the rest on the lead's screen with its badge, and leaves nothing in an inbox", async () => {
  const mail = await permissionMail("2026-11");
  const shown: CallQuestion[] = [];
  const bridge = async (question: CallQuestion) => {
    shown.push(question);
    return { behavior: "allow" as const };
  };
  const ask = mail.beside(bridge, badge.color);
  const { permit } = permitted("/nowhere", "/nowhere", { ask, rules });
  expect(await permit(bashCall("make"), {}, signal)).toMatchObject({ runs: true });
  expect(await permit(bashCall("ship"), {}, signal)).toMatchObject({ runs: false });
  expect(shown).toEqual([]);
  expect(await permit(bashCall("other"), {}, signal)).toMatchObject({ runs: true });
  await permitted("/nowhere", "/nowhere", { ask: bubbleTo(ask, { name: "inner" }) }).permit(bashCall("x"), {}, signal);
  expect(shown.map(({ from }) => from)).toEqual([badge, { name: "inner" }]);
  expect(existsSync(layoutOf(mail.root).team("crew").inbox("team-lead"))).toBe(false);
});

test("[PERM-20] [ATP-PRM-007] a teammate without a screen decides what its rules say, and asks the rest by message", async () => {
  const mail = await permissionMail("2026-11");
  const asked: CallQuestion[] = [];
  mail.desk(async (question) => {
    asked.push(question);
    return { behavior: "allow" };
  });
  const { permit } = permitted("/nowhere", "/nowhere", { ask: mail.member(), rules });
  for (const command of ["make", "ship", "other"]) await permit(bashCall(command), {}, signal);
  expect(mail.requests()).toMatchObject([{ agent_id: "alice", input: { command: "other" } }]);
  expect(asked).toMatchObject([{ from: badge }]);
});
