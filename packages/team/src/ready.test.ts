import { expect, test } from "vitest";
import { awaited } from "../../../scripts/awaited.ts";
import { crew } from "../test/crew.ts";
import { tellReady, untilHeard, untilReady } from "./ready.ts";

const patience = () => AbortSignal.timeout(60_000);

test("a teammate is at work once it says so itself, and not because one of its name did before or another does", async () => {
  const { team } = await crew("2026-11", "ann", "bob");
  const ann = await team.as("ann");
  await tellReady(team, ann);
  await awaited("ann", untilReady(team, "ann", patience()));
  await team.leave("ann");
  await team.join({
    name: "ann",
    agentType: "worker",
    model: "m",
    prompt: "p",
    joinedAt: 1_770_000_000_001,
    cwd: "/p",
  });
  await tellReady(team, await team.as("bob"));
  const giving = new AbortController();
  let isReady = false;
  const coming = untilReady(team, "ann", giving.signal).then(() => {
    isReady = true;
  });
  await untilReady(team, "bob", patience());
  expect(isReady).toBe(false);
  await tellReady(team, await team.as("ann"));
  await awaited("ann that joined again", coming);
  await expect(untilReady(team, "carol", AbortSignal.abort())).rejects.toThrow();
});

test.each(["2026-02", "2026-11"] as const)(
  "in %s a client that says nothing is at work once it has taken its prompt, and not before",
  async (revision) => {
    const { team } = await crew(revision, "ann");
    const [lead, self] = [await team.as("team-lead"), await team.as("ann")];
    await lead.send(self.name, { text: "your prompt" });
    let isHeard = false;
    const hearing = untilHeard(team, self.name, patience()).then(() => {
      isHeard = true;
    });
    const lease = await self.receive();
    const [prompt] = await lease.wait(patience());
    expect(isHeard).toBe(false);
    await lease.acknowledge(new Set([prompt?.key ?? ""]));
    await awaited("the end of the wait", hearing);
    await lead.send(self.name, { text: "nobody takes this" });
    await expect(untilHeard(team, self.name, AbortSignal.abort(new Error("given up")))).rejects.toThrow("given up");
  },
);
