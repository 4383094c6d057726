import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { untilSeen } from "../../../scripts/awaited.ts";
import { expectSame, expectWords } from "../checks.ts";
import { countsOf, markOf, toldTo } from "../conversation.ts";
import { startLead } from "../real-lead.ts";
import type { Given } from "../scenario.ts";
import type { Stage } from "../stage.ts";
import { bidden, bothOf } from "./headless.ts";

const skipping = "--dangerously-skip-permissions";

/** Sessions of one that the other lists, reads and goes on with. */
export async function shareTranscripts({ check, open }: Given): Promise<void> {
  const stage = await open();
  const { ours, theirs } = bothOf(stage);
  const [tess, uma] = [randomUUID(), randomUUID()];
  const write = (name: string) =>
    ["Write", { file_path: join(stage.cwd, name), content: `${name} <written>` }] as const;
  const shownTo = (name: string) => JSON.stringify(stage.agent(name).requests.at(-1)?.messages ?? []);

  await check("a session of theirs is listed by ours with what it began with", async () => {
    bidden(stage, "tess", [write("tess.txt"), ["Bash", { command: "echo of-<tess>", description: "say" }]]);
    await theirs(`${markOf("tess")} remember <their-word>`, "--session-id", tess, skipping);
    const { sessions } = JSON.parse(await stage.troupe("sessions", "--json"));
    const titles = sessions.map(({ id, title }: { id: string; title: string }) => [id, title]);
    expectSame("the sessions", titles, [[tess, `${markOf("tess")} remember <their-word>`]]);
    return undefined;
  });
  await check("ours goes on with a session of theirs: its model is shown words, calls and results", async () => {
    const before = transcriptOf(stage, tess);
    await ours("and <our-word>", "--resume", tess, skipping);
    expectWords(shownTo("tess"), ["<their-word>", "of-<tess>", "tess.txt <written>", "OK.", "<our-word>"]);
    if (!transcriptOf(stage, tess).startsWith(before)) throw new Error("what stood in its file is not there as it was");
    return undefined;
  });
  await check("theirs goes on with what ours added to its session", async () => {
    await theirs("and <third-word>", "--resume", tess, skipping);
    expectWords(shownTo("tess"), ["<their-word>", "of-<tess>", "<our-word>", "<third-word>"]);
    return undefined;
  });
  await check("a session of ours is gone on with by theirs: its model is shown words, calls and results", async () => {
    bidden(stage, "uma", [write("uma.txt"), ["Bash", { command: "echo of-<uma>", description: "say" }]]);
    await ours(`${markOf("uma")} remember <first-of-ours>`, "--session-id", uma, skipping);
    const before = transcriptOf(stage, uma);
    await theirs("and <second-of-theirs>", "--resume", uma, skipping);
    expectWords(shownTo("uma"), ["<first-of-ours>", "of-<uma>", "uma.txt <written>", "OK.", "<second-of-theirs>"]);
    if (!transcriptOf(stage, uma).startsWith(before)) throw new Error("what stood in its file is not there as it was");
    return undefined;
  });
  await check("ours goes on with its own session behind theirs", async () => {
    await ours("and <third-of-ours>", "--resume", uma, skipping);
    expectWords(shownTo("uma"), ["<first-of-ours>", "of-<uma>", "<second-of-theirs>", "<third-of-ours>"]);
    return undefined;
  });
  await check("sessions of both are on the list of theirs", async () => {
    const { terminal, client } = stage;
    await ours(`${markOf("vera")} in <this-session>`, skipping);
    // Later versions list no session that was held without a screen.
    await (await startLead(stage, skipping)).exit();
    const pane = await terminal.open([...client.command, "--resume"]);
    for (const title of ["in <this-session>", `${markOf("team-lead")} hello`])
      await untilSeen(
        `${title} on the screen`,
        async () => (await terminal.screen(pane)).includes(title),
        20_000,
      ).catch(async (error) => Promise.reject(new Error(`${error.message}: ${(await terminal.screen(pane)).trim()}`)));
    return undefined;
  });
  await check("the model of neither was shown a message of the other twice", async () => {
    const words = ["<their-word>", "<our-word>", "<third-word>", "<first-of-ours>", "<second-of-theirs>"];
    for (const name of ["tess", "uma"])
      for (const request of stage.agent(name).requests) {
        const twice = [...countsOf(toldTo(request), words)].filter(([, count]) => count > 1);
        if (twice.length > 0) throw new Error(`${name} was told ${twice.join("; ")} times`);
      }
    return undefined;
  });
}

function transcriptOf({ root }: Stage, session: string): string {
  const projects = join(root, "projects");
  const names = readdirSync(projects, { recursive: true, encoding: "utf8" });
  const name = names.find((one) => one.endsWith(`/${session}.jsonl`));
  if (name === undefined) throw new Error(`there is no transcript of ${session}: ${names.join(", ")}`);
  return readFileSync(join(projects, name), "utf8");
}
