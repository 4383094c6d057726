import { expect, test } from "vitest";
import type { TmuxEnd } from "./client.ts";
import { splitPane } from "./place.ts";

const failed = (words: string): TmuxEnd => ({ isFine: false, stdout: "", words });
const fine: TmuxEnd = { isFine: true, stdout: "%0 7 3.4 @0 50 1 /tmp/s\n", words: "" };

/** What tmux answers, one after the other, and what it was asked. */
async function split(...answers: readonly TmuxEnd[]) {
  const asked: string[] = [];
  const tmux = async (...commands: readonly (readonly string[])[]) => {
    asked.push(commands[0]?.[0] ?? "");
    return answers[asked.length - 1] ?? failed("asked too often");
  };
  const deps = { lead: undefined, session: "s", others: [], waiting: ["cat"] };
  const { pane } = await splitPane({ ...deps, tmux });
  return { asked, pane };
}

test("a server that ends with its last pane while a pane is added is begun anew", async () => {
  const { asked, pane } = await split(failed("duplicate session: s"), failed("no server running on /tmp/s"), fine);
  expect(asked).toEqual(["new-session", "split-window", "new-session"]);
  expect(pane).toBe("%0");
  await expect(split(failed("duplicate session: s"), failed("can't find session: s"), fine)).resolves.toMatchObject({
    pane,
  });
  await expect(split(failed("server exited unexpectedly"), fine)).resolves.toMatchObject({ pane });
  await expect(split(failed("no space for new pane"))).rejects.toThrow("no space");
});
