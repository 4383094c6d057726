import { existsSync } from "node:fs";
import { join } from "node:path";
import { toolUse } from "@troupe/fake-anthropic";
import { awaited } from "../../../scripts/awaited.ts";
import { expectSame } from "../checks.ts";
import { countsOf, markOf, resultsOf, toldTo } from "../conversation.ts";
import { dialectIn } from "../puppet.ts";
import { makeTeam, startLead } from "../real-lead.ts";
import type { Scenario } from "../scenario.ts";
import { allowAt } from "./runtime-of-ours.ts";

const marks = (of: string) => Array.from({ length: 200 }, (_, n) => `<${of}-${String(n).padStart(3, "0")}>`);

/** What a client does where there is nothing of ours: the measure of what it does beside us. */
export const withoutUs: Scenario = {
  id: "control",
  title: "their lead, a teammate of theirs in a pane: nothing of Troupe",
  async run({ check, open }) {
    const stage = await open();
    const lead = await startLead(stage, "--teammate-mode", "tmux", "--permission-mode", "default");
    const { terminal, agent } = stage;
    const name = await makeTeam(stage, lead);
    const ann = agent("ann");
    await lead.does(lead.dialect.spawn("ann", `${markOf("ann")} I am ann.`, { team: name }));
    await awaited(
      "the prompt",
      ann.seen((request) => toldTo(request).includes("I am ann.")),
    );
    await check("200 messages of the lead's model reach its teammate, each once", async () => {
      const wanted = marks("down");
      for (let n = 0; n < 200; n += 20)
        await lead.does(...wanted.slice(n, n + 20).map((mark) => lead.dialect.send("ann", `note ${mark}`)));
      await awaited(
        "the last of them",
        ann.seen((request) => toldTo(request).includes(wanted.at(-1) ?? "")),
        20_000,
      ).catch(() => {});
      return tally(toldTo(ann.requests.at(-1) ?? { messages: [] }), wanted);
    });
    await check("200 messages of the teammate's model reach its lead, each once", async () => {
      const wanted = marks("up");
      for (let n = 0; n < 200; n += 20) {
        const ids = wanted.slice(n, n + 20).map((mark) => `toolu_${mark.slice(1, -1)}`);
        const calls = wanted.slice(n, n + 20).map((mark) => dialectIn(ann).send("team-lead", `note ${mark}`));
        ann.push(calls.map(([tool, input], i) => toolUse(tool, input, ids[i])));
        await lead.does(lead.dialect.send("ann", `work ${n}`));
        await awaited(
          `the results of ${n}`,
          ann.seen((request) => resultsOf(request, ids)),
        );
      }
      await lead.hears(wanted.at(-1) ?? "", 20_000).catch(() => {});
      return tally(lead.told(), wanted);
    });
    await check("a call of the teammate that needs permission is asked at the lead's screen, and runs", async () => {
      const file = join(stage.cwd, "allowed");
      try {
        await allowAt(stage, lead, lead.pane ?? "");
      } catch (error) {
        const screens = await Promise.all((await terminal.panes()).map((pane) => terminal.screen(pane, 400)));
        throw new Error(
          `${(error as Error).message}: ${screens.map((screen) => screen.trim().slice(0, 300)).join("\n---\n")}`,
        );
      }
      expectSame("the file is there", existsSync(file), true);
      return undefined;
    });
  },
};

function tally(text: string, wanted: readonly string[]): string {
  const counts = [...countsOf(text, wanted).values()];
  return `${counts.filter((n) => n === 0).length} missing, ${counts.filter((n) => n > 1).length} twice, of ${wanted.length}`;
}
