import { mkdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { type Definition, definitions } from "../definitions.ts";
import { startLead } from "../real-lead.ts";
import type { Scenario } from "../scenario.ts";
import type { Stage } from "../stage.ts";

interface Judged extends Definition {
  /** It is on the list of agents that the client gives its model. */
  readonly isOffered: boolean;
  /** What our linter says of it, the gravest first. */
  readonly findings: readonly { readonly severity: string; readonly message: string }[];
}

/** 5: what the client takes of definitions, and what our linter says of them. */
export const definitionsOfOurs: Scenario = {
  id: "5",
  title: `definitions: ${definitions.length} files that cover every rule of our linter`,
  async run({ client, check, open }) {
    const stage = await open();
    const judged = await judge(stage);
    const isError = ({ findings }: Judged) => findings.some(({ severity }) => severity === "error");
    const isLater = client.revision === "2026-11";
    await check("a definition in which our linter finds no error is offered to its model", async () =>
      none(
        judged.filter((one) => !one.isOffered && !isError(one)),
        `${judged.filter((one) => one.isOffered).length} of ${judged.length} are offered`,
      ),
    );
    // The linter of the earlier revision is as strict as the rules, and stricter than the client.
    if (isLater)
      await check("a definition in which our linter finds an error is not offered", async () =>
        none(
          judged.filter((one) => one.isOffered && isError(one)),
          `${judged.filter((one) => !one.isOffered).length} of ${judged.length} are not`,
        ),
      );
  },
};

async function judge(stage: Stage): Promise<readonly Judged[]> {
  const places = definitions.map((one) => [one, join(stage.cwd, basename(stage.root), "agents", one.file)] as const);
  for (const [one, place] of places) {
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(place, one.text);
  }
  await startLead(stage, "--dangerously-skip-permissions");
  const told = stage.agent("team-lead").requests.map(({ system, tools, messages }) => [system, tools, messages]);
  const list = JSON.stringify(told);
  const paths = places.map(([, place]) => place);
  const linting = stage.startTroupe(["agents", "lint", "--json", "--revision", stage.client.revision, ...paths]);
  const { findings }: { readonly findings: readonly (Judged["findings"][number] & { readonly file: string })[] } =
    JSON.parse(await text(linting.output));
  return places.map(([one, place]) => ({
    ...one,
    isOffered: list.includes(one.mark),
    findings: findings.filter(({ file }) => place.endsWith(`/${file}`)),
  }));
}

function none(differences: readonly Judged[], figures: string): string {
  if (differences.length === 0) return figures;
  const lines = differences.map(
    ({ mark, rule, file, text, findings }) =>
      `${mark} (${rule}, ${file}) ${JSON.stringify(text.slice(0, 120))}: ${findings[0]?.message ?? "no finding"}`,
  );
  throw new Error(`${differences.length} differ: ${lines.join("; ")}`);
}
