import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ContentBlock, FakeAgent } from "@troupe/fake-anthropic";
import type { Team } from "@troupe/store";
import type { Checks } from "../checks.ts";
import { countsOf, toldTo } from "../conversation.ts";
import type { RealLead } from "../real-lead.ts";
import type { Stage } from "../stage.ts";
import type { TornWatch } from "./torn.ts";
import { tasks, type Writer } from "./writers.ts";

/** All that was at work, when it is over. */
export interface Crowd {
  readonly stage: Stage;
  readonly team: Team;
  readonly lead: RealLead;
  /** The teammate is ours; without that everything is a figure of what the client does alone. */
  readonly isOurs: boolean;
  /** How often ours was killed and went on. */
  readonly kills: number;
  /** The lead of the client is the last. */
  readonly writers: readonly Pick<Writer, "name" | "sent" | "refused">[];
  readonly torn: TornWatch;
}

type Counts = ReadonlyMap<string, number>;

/** Holds what each was told is kept against the files, and against what each model was shown. */
export async function checkCrowd({ check }: Pick<Checks, "check">, crowd: Crowd): Promise<void> {
  const { stage, team, isOurs, kills, torn } = crowd;
  const [ann, lead] = [stage.agent("ann"), stage.agent("team-lead")];
  const others = crowd.writers.filter(({ name }) => name !== "lead");
  const led = crowd.writers.filter(({ name }) => name === "lead");
  const own = acknowledged(ann);
  const to = (place: string, of: typeof others) => of.flatMap(({ sent }) => sent[place] ?? []);
  const held = (counts: Counts, isTheirs = false) =>
    tally(counts, { mayMiss: isTheirs || !isOurs, mayRepeat: !isOurs });
  const inFile = async (name: string) => {
    const { value = [] } = await team.mail(name).page();
    return value.map(({ entry }) => entry.text ?? "").join("\n");
  };
  if (isOurs)
    await check("it was killed without warning and went on, twice", async () => {
      if (kills !== 2) throw new Error(`it was killed ${kills} times`);
      return undefined;
    });
  await check("what the foreign writers sent it reached its model, each once", async () =>
    held(heardBy(ann, to("ann", others))),
  );
  await check("what their lead sent it reached its model once, if it came into its inbox", async () => {
    const sent = to("ann", led);
    const came = isOurs ? sent.filter((mark) => torn.seen().includes(mark)) : sent;
    return `${held(heardBy(ann, came))}; ${sent.length - came.length} that the client called sent never came`;
  });
  if (isOurs)
    await check("its transcript holds each message that it was sent once", async () =>
      held(countsOf(inputsIn(stage.root), to("ann", others))),
    );
  await check("what it sent to one who does not read stands there, each once", async () =>
    held(
      countsOf(
        await inFile("sink"),
        own.filter((mark) => place(mark) === 1),
      ),
    ),
  );
  await check("what the foreign writers sent to one who does not read stands there, each once", async () =>
    held(countsOf(await inFile("sink"), to("sink", others))),
  );
  await check("tasks that it and the foreign writers made are there, each once", async () => {
    const { tasks: list } = await team.tasks.list();
    const subjects = list.map(({ subject }) => subject).join("\n");
    return held(countsOf(subjects, [...own.filter((mark) => place(mark) === 2), ...to(tasks, others)]));
  });
  await check("tasks of their lead's model: how many are there", async () => {
    const { tasks: list } = await team.tasks.list();
    return held(countsOf(list.map(({ subject }) => subject).join("\n"), to(tasks, led)), true);
  });
  const toLead = [...own.filter((mark) => place(mark) === 0), ...to("team-lead", others)];
  if (team.form === "2026-02")
    await check("what it and the foreign writers sent to their lead stands in its inbox, each once", async () =>
      held(countsOf(await inFile("team-lead"), toLead)),
    );
  await check("what was sent to their lead: how much its model was told", async () =>
    tally(heardBy(lead, toLead), { mayMiss: true, mayRepeat: true }),
  );
  await check("no file stays torn", async () => torn.stop());
  const refused = crowd.writers.flatMap(({ name, refused: all }) => (all.length > 0 ? [`${name}: ${all[0]}`] : []));
  await check("how many writes were refused", async () =>
    refused.length === 0 ? "none" : `${crowd.writers.flatMap((one) => one.refused).length}, as ${refused.join("; ")}`,
  );
}

/** The mark of a call of ann's model says by its number what it did. */
const place = (mark: string): number => Number(/-(\d+)>/.exec(mark)?.[1]) % 3;

/** How many of these are there; fails where one is missing or comes twice that must not. */
function tally(counts: Counts, { mayMiss, mayRepeat }: { readonly mayMiss: boolean; readonly mayRepeat: boolean }) {
  const missing = [...counts].filter(([, count]) => count === 0).map(([mark]) => mark);
  const twice = [...counts].filter(([, count]) => count > 1).map(([mark]) => mark);
  const figures = `of ${counts.size} ${missing.length} are missing and ${twice.length} come twice`;
  if (counts.size === 0) throw new Error("nothing was sent");
  if ((missing.length > 0 && !mayMiss) || (twice.length > 0 && !mayRepeat))
    throw new Error(`${figures}: ${[...missing, ...twice].slice(0, 10).join(" ")}`);
  return missing.length + twice.length === 0 ? `${counts.size} of ${counts.size}` : figures;
}

/** How often a model was told each of these, in that of its requests that says it most often. */
function heardBy({ requests }: FakeAgent, marks: readonly string[]): Counts {
  const most = new Map(marks.map((mark) => [mark, 0]));
  for (const request of requests)
    for (const [mark, count] of countsOf(toldTo(request), marks)) most.set(mark, Math.max(count, most.get(mark) ?? 0));
  return most;
}

/** The marks of its calls of which the model was told that they were done. */
function acknowledged({ requests }: FakeAgent): readonly string[] {
  const done = new Set<string>();
  for (const { messages } of requests) {
    const blocks = messages.flatMap(({ content }) => content);
    const results = new Map(blocks.filter(isResult).map((block) => [block["tool_use_id"], block]));
    for (const block of blocks.filter(({ type }) => type === "tool_use")) {
      const [mark] = /<ann-\d+>/.exec(JSON.stringify(block["input"])) ?? [];
      const result = results.get(block["id"]);
      const said = JSON.stringify(result?.["content"]) ?? "";
      if (mark && result?.["is_error"] !== true && /success\\*":\s*true|created successfully/.test(said))
        done.add(mark);
    }
  }
  return [...done];
}

const isResult = ({ type }: ContentBlock): boolean => type === "tool_result";

/** The inputs that sessions of ours wrote down. */
function inputsIn(root: string): string {
  const projects = join(root, "projects");
  const files = readdirSync(projects, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".jsonl"));
  const lines = files.flatMap((name) => readFileSync(join(projects, name), "utf8").split("\n"));
  return lines.filter((line) => line.includes('"kind":"input"')).join("\n");
}
