import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { toolUse, words } from "../../test/entries.ts";
import { entriesIn, human, ok, play, rehearse, talkIn, tool } from "../../test/rehearsal.ts";
import { scratch } from "../../test/scratch.ts";
import { scriptedModel } from "../model/scripted.ts";
import { segmentsOf } from "./segments.ts";
import type { Tool } from "./tool.ts";

const played = async (tools: readonly Tool[], ...names: readonly string[]) => {
  const uses = names.map((name, at) => toolUse(`t${at}`, name, { at }));
  const path = join(scratch(), "s.jsonl");
  const rehearsal = rehearse({ path, tools, model: scriptedModel([uses, [words("done")]]), inbox: [human("i1")] });
  const { terminal } = await play(rehearsal);
  expect(terminal).toMatchObject({ text: "done" });
  return { path, results: talkIn(rehearsal)[2]?.content ?? [] };
};

const resultsIn = (path: string) => entriesIn(path).flatMap((entry) => (entry.kind === "result" ? [entry.call] : []));

test("neighbours that are safe together run together, each result is written when it exists, and the model sees them in order", async () => {
  let left = 3;
  const slow = tool(
    "Slow",
    async (input) => {
      // Each waits for the one behind it.
      while ((input as { at: number }).at !== left - 1) await new Promise(setImmediate);
      left -= 1;
      return ok("slow");
    },
    { isConcurrent: () => true },
  );
  const { results, path } = await played([slow], "Slow", "Slow", "Slow");
  expect(resultsIn(path)).toEqual(["t2", "t1", "t0"]);
  expect(results.map(({ tool_use_id }) => tool_use_id)).toEqual(["t0", "t1", "t2"]);
});

test("a result stands in the journal while its neighbour still runs", async () => {
  const seen: string[][] = [];
  const path = join(scratch(), "s.jsonl");
  const quick = tool("Quick", () => ok("quick"), { isConcurrent: () => true });
  const patient = tool(
    "Patient",
    async () => {
      for (let tick = 0; tick < 100 && resultsIn(path).length === 0; tick += 1) await new Promise(setImmediate);
      seen.push(resultsIn(path));
      return ok("patient");
    },
    { isConcurrent: () => true },
  );
  const model = scriptedModel([[toolUse("t0", "Patient"), toolUse("t1", "Quick")], [words("done")]]);
  await play(rehearse({ path, tools: [quick, patient], model, inbox: [human("i1")] }));
  expect(seen).toEqual([["t1"]]);
});

test("never more than ten run at once, and what is not safe runs alone", async () => {
  let running = 0;
  const peaks: Record<string, number> = {};
  const counting = (name: string, isSafe: boolean) =>
    tool(
      name,
      async () => {
        running += 1;
        peaks[name] = Math.max(peaks[name] ?? 0, running);
        // Long enough for more to begin than may.
        for (let tick = 0; tick < 50; tick += 1) await new Promise(setImmediate);
        running -= 1;
        return ok(name);
      },
      { isConcurrent: () => isSafe },
    );
  const reads = Array.from({ length: 13 }, () => "Read");
  await played([counting("Read", true), counting("Write", false)], ...reads, "Write", "Write", ...reads, "Write");
  expect(peaks).toEqual({ Read: 10, Write: 1 });
});

test("segments keep the order, lose nothing, hold ten at most, and none holds an unsafe call beside another", () => {
  const safe = tool("Safe", () => ok(""), { isConcurrent: () => true });
  const unsafe = tool("Unsafe", () => ok(""));
  const torn = tool("Torn", () => ok(""), {
    isConcurrent: () => {
      throw new Error("no idea");
    },
  });
  fc.assert(
    fc.property(fc.array(fc.constantFrom(safe, safe, safe, unsafe, torn), { maxLength: 60 }), (tools) => {
      const work = tools.map((tool, id) => ({ tool, id: `t${id}`, input: {} }));
      const segments = segmentsOf(work);
      expect(segments.flat()).toEqual(work);
      for (const segment of segments) {
        expect(segment.length).toBeLessThanOrEqual(10);
        if (segment.length > 1) for (const { tool } of segment) expect(tool).toBe(safe);
      }
    }),
  );
});

test("a tool that throws is a failed call, and so is one that there is not; the turn goes on", async () => {
  const throwing = tool("Throw", () => {
    throw new Error("no such file");
  });
  const odd = tool("Odd", () => {
    throw "a word";
  });
  const { results } = await played([throwing, odd], "Throw", "None", "Odd");
  expect(results.map(({ is_error, content }) => [is_error, content[0].text])).toEqual([
    [true, "no such file"],
    [true, 'There is no tool called "None".'],
    [true, "a word"],
  ]);
});

test("a tool is given its input and the id of its call", async () => {
  const given: unknown[] = [];
  const take = tool("Take", (input, signal, call) => {
    given.push([input, signal.aborted, call]);
    return { content: [], isError: true };
  });
  const { results } = await played([take], "Take");
  expect(given).toEqual([[{ at: 0 }, false, "t0"]]);
  expect(results).toEqual([{ type: "tool_result", tool_use_id: "t0", content: [], is_error: true }]);
});
