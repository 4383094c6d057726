import { existsSync } from "node:fs";
import { join } from "node:path";
import { ageText } from "../age.ts";
import type { Call } from "../command.ts";
import type { Printed } from "../paint.ts";

interface Behind {
  readonly team: string;
  readonly host: string;
  readonly heardAt: string | null;
  readonly unsent: number;
  readonly problems: readonly string[];
}

/** What the bridges of these files said of themselves last. */
export async function bridgesOf({ root }: Pick<Call, "root">): Promise<readonly Behind[]> {
  if (!existsSync(join(root, "troupe/bridge"))) return [];
  const { pulsesIn } = await import("@troupe/store-postgres");
  return pulsesIn(root).map(({ team, pulse: { host, heardAt, unsent, problems } }) => ({
    team,
    host,
    heardAt,
    unsent,
    problems,
  }));
}

export function bridgeText({ team, host, heardAt, unsent, problems }: Behind, now: Date): Printed[] {
  const heard =
    heardAt === null ? "was never heard of" : `was heard of ${ageText(now.getTime() - Date.parse(heardAt))} ago`;
  const head: Printed = [
    { text: "note    ", style: "dim" },
    `the bridge of ${team} as ${host}: ${unsent} not sent, the database ${heard}`,
  ];
  return [head, ...problems.map((one) => `        ${one}`)];
}
