import { text } from "node:stream/consumers";
import { toolUse } from "@troupe/fake-anthropic";
import { awaited } from "../../../scripts/awaited.ts";
import { resultsOf } from "../conversation.ts";
import type { Call } from "../dialect.ts";
import type { Stage } from "../stage.ts";

/** Runs one task to its end, without a screen; what was printed. */
export type Headless = (...args: readonly string[]) => Promise<string>;

/** The client and the command line of Troupe, which are given the same words. */
export function bothOf(stage: Stage): Readonly<Record<"theirs" | "ours", Headless>> {
  return {
    async theirs(...args) {
      const running = stage.startClient(["-p", ...args]);
      running.input?.end();
      const said = Promise.all([text(running.output), text(running.errors)]);
      const { code } = await awaited("the end of a run of theirs", running.ended, 120_000);
      const [output, errors] = await said;
      if (code !== 0) throw new Error(`it ended with ${code}: ${output.slice(-400)} ${errors.slice(-400)}`);
      return output;
    },
    ours: (...args) => stage.troupe("-p", ...args),
  };
}

/** Has an agent's model call these, one after the other; the results, once its run is over. */
export function bidden(stage: Stage, name: string, calls: readonly Call[]): () => readonly string[] {
  const agent = stage.agent(name);
  const ids = calls.map((_, n) => `toolu_${name}_${agent.requests.length}_${n}`);
  agent.push(...calls.map(([tool, input], n) => [toolUse(tool, input, ids[n])]));
  return () => {
    const last = agent.requests.findLast((request) => resultsOf(request, ids.slice(-1)));
    const results = last && resultsOf(last, ids);
    if (!results) throw new Error(`the model of ${name} was not told the results of its calls`);
    return results;
  };
}
