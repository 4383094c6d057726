import { assertMatches, assertThat } from "../assert.ts";
import { type ModelRequest, toldTo } from "../conversation.ts";
import type { Dialect } from "../dialect.ts";
import { leadCheck } from "../lead-stage.ts";
import { mateCheck } from "../mate-check.ts";
import type { Call } from "../model-endpoint.ts";

const fork = ({ delegate }: Dialect, name: string): Call =>
  delegate({ prompt: `agent:${name}. Count the rules of part ${name}.`, type: "fork" });

/** The same call without a type. */
function untyped({ delegate }: Dialect): Call {
  const [tool, input] = delegate({ prompt: "agent:sub. Count the rules." });
  return [tool, Object.fromEntries(Object.entries(input).filter(([name]) => name !== "subagent_type"))];
}

const startsAnew = (request: ModelRequest): boolean => !toldTo(request).includes("Lead a team.");

/** What is sent before the directive of a fork, byte for byte. */
function prefixOf({ system, tools, messages }: ModelRequest, name: string): string {
  const text = JSON.stringify(messages);
  return JSON.stringify([system, tools]) + text.slice(0, text.lastIndexOf(`agent:${name}.`));
}

/** Agents that go on from their session's conversation, and who does not. */
export const leadForkChecks = [
  leadCheck({
    id: "FORK-OFF/a",
    level: "L5",
    title: "in a session without a person a call without a type makes no fork",
    requirements: ["ATP-FRK-001", "ATP-SUB-002"],
    revisions: ["2026-02"],
    async run({ lead, dialect, puppet }) {
      await lead.calls(untyped(await dialect()));
      assertThat(startsAnew(await puppet("sub").asked()), "it knows the conversation of its session");
    },
  }),
  leadCheck({
    id: "FORK-OFF/b",
    level: "L5",
    title: "a call without a type starts a general-purpose agent, and no fork",
    requirements: ["ATP-SUB-102"],
    revisions: ["2026-11"],
    async run({ lead, dialect, puppet }) {
      await lead.calls(untyped(await dialect()));
      assertThat(startsAnew(await puppet("sub").asked()), "it knows the conversation of its session");
    },
  }),
  leadCheck({
    id: "FORK-SAME/a",
    level: "L5",
    title: "forks of one answer are sent the same bytes up to their directives, the whole conversation among them",
    requirements: ["ATP-FRK-003"],
    async run({ lead, dialect, puppet }) {
      const words = await dialect();
      await lead.calls(fork(words, "one"), fork(words, "two"));
      const [one, two] = [await puppet("one").asked(), await puppet("two").asked()];
      assertThat(!startsAnew(one), "a fork does not know the conversation of its session");
      const [first, second] = [prefixOf(one, "one"), prefixOf(two, "two")];
      const at = [...first].findIndex((character, index) => character !== second[index]);
      assertThat(first === second, `they differ at character ${at}`, [
        first.slice(at, at + 80),
        second.slice(at, at + 80),
      ]);
    },
  }),
  leadCheck({
    id: "FORK-WORDS/a",
    level: "L5",
    title: "the calls of a session that forks are answered by the same words",
    requirements: ["ATP-FRK-005"],
    async run({ lead, dialect, puppet }) {
      await lead.calls(fork(await dialect(), "one"));
      const told = toldTo(await puppet("one").asked());
      assertThat(told.includes("Fork started \u2014 processing in background"), "they stand nowhere", told.slice(-400));
    },
  }),
  leadCheck({
    id: "FORK-DEEP/a",
    level: "L5",
    title: "a fork makes no fork",
    requirements: ["ATP-FRK-002"],
    async run({ lead, dialect, puppet }) {
      const words = await dialect();
      await lead.calls(fork(words, "one"));
      const [result] = await puppet("one").does(fork(words, "two"));
      assertMatches("the result", result?.isError, true);
      assertMatches("the requests of another fork", puppet("two").requests.length, 0);
    },
  }),
  leadCheck({
    id: "FORK-DEEP/b",
    level: "L5",
    title: "a conversation that bears the mark of a fork in either spelling makes no fork",
    requirements: ["ATP-FRK-002"],
    revisions: ["2026-02"],
    with: { prompt: "<claude:fork-boilerplate>You are a fork.</claude:fork-boilerplate> Lead a team." },
    async run({ lead, dialect, puppet }) {
      const [result] = await lead.does(fork(await dialect(), "one"));
      assertMatches("the result", result?.isError, true);
      assertMatches("the requests of a fork", puppet("one").requests.length, 0);
    },
  }),
  leadCheck({
    id: "FORK-WHOLE/a",
    level: "L5",
    title:
      "a fork is sent its parent's system, tools, model and whole history, and then one message with its directive",
    requirements: ["ATP-FRK-101"],
    revisions: ["2026-11"],
    async run({ lead, dialect, puppet }) {
      const parent = await lead.asked();
      await lead.calls(fork(await dialect(), "one"));
      const child = await puppet("one").asked();
      assertMatches("the model", child.model, parent.model);
      for (const part of ["system", "tools"] as const)
        assertThat(JSON.stringify(child[part]) === JSON.stringify(parent[part]), `it has other ${part}`);
      assertMatches("how many messages it has more", child.messages.length - parent.messages.length, 2);
      const last = JSON.stringify(child.messages.at(-1));
      for (const words of ["Fork started", "fork-boilerplate", "agent:one. Count the rules of part one."])
        assertThat(last.includes(words), `its last message lacks ${words}`, last);
    },
  }),
  mateCheck({
    id: "FORK-ASK/a",
    level: "L5",
    title: "what a fork needs permission for is asked in the name of its parent",
    requirements: ["ATP-FRK-004"],
    async run({ mate, dialect, puppet, letter }) {
      const [tool, input] = fork(await dialect(), "one");
      await mate.calls([tool, { ...input, run_in_background: false }]);
      await puppet("one").calls(["Bash", { command: "touch made.txt", description: "make a file" }]);
      const { body, entry } = await letter("permission_request");
      assertMatches("the request", [body["agent_id"], entry["from"]], ["ann", "ann"]);
    },
  }),
];
