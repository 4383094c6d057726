import { readFileSync } from "node:fs";
import { join } from "node:path";
import { write, writeFoundTeam } from "../cases/found-team.ts";
import { differences } from "../cases/match.ts";
import type { Check } from "../check.ts";
import { checkFailure } from "../fault.ts";
import { revisions } from "../requirement.ts";
import { identityOf } from "./teams.ts";

const torn = (text: string): string => text.slice(0, Math.floor(text.length / 2));

/** So long a document stays half written: far less than a reader must bear. */
const tornMs = 150;

/** A reader that meets a half written document looks again before it calls it damaged. */
export const settlingChecks: readonly Check[] = [
  settling({
    letter: "a",
    method: "team.get",
    noun: "config",
    pathOf: (team) => `teams/${team}/config.json`,
    params: {},
    answer: { config: { members: { $length: 2 } } },
  }),
  settling({
    letter: "b",
    method: "task.get",
    noun: "task",
    pathOf: (team) => `tasks/${team}/1.json`,
    params: { id: "1" },
    answer: { task: { id: "1", subject: "Task 1" } },
  }),
  settling({
    letter: "c",
    method: "inbox.read",
    noun: "inbox",
    pathOf: (team) => `teams/${team}/inboxes/alice.json`,
    params: { agent: "alice" },
    answer: { messages: [{ text: "Message 1" }] },
  }),
];

interface Settling {
  readonly letter: string;
  readonly method: string;
  readonly noun: string;
  readonly pathOf: (team: string) => string;
  readonly params: object;
  /** The result of the call once the document is whole. */
  readonly answer: object;
}

function settling({ letter, method, noun, pathOf, params, answer }: Settling): Check {
  return {
    id: `LCK-SETTLE/${letter}`,
    title: `a ${noun} that is half written for a moment is read again before it is called damaged`,
    requirements: ["ATP-LCK-104"],
    level: "L1",
    revisions,
    needs: { methods: [method, "team.list"] },
    async run(context) {
      const identity = identityOf(context);
      const whole = { config: { padding: "x".repeat(4_096) }, members: ["alice"], tasks: 1, inboxes: { alice: [{}] } };
      writeFoundTeam(context.root, context.revision, identity, whole);
      await context.ok("team.list", {});
      const path = join(context.root, pathOf(identity.team));
      const text = readFileSync(path, "utf8");
      write(path, torn(text));
      const reply = context.call(method, { team: identity.team, ...params });
      await new Promise((resolve) => setTimeout(resolve, tornMs));
      write(path, text);
      const found = await reply;
      const wrong = found.outcome === "ok" ? differences(answer, found.result) : ["it was called damaged"];
      if (wrong.length > 0) {
        throw checkFailure(`the ${noun} was whole ${tornMs} ms later: ${wrong.join("; ")}`, {
          expected: answer,
          actual: found,
        });
      }
      return undefined;
    },
  };
}
