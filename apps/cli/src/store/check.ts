import type { Checked } from "@troupe/store-postgres";
import { type Answer, type Call, exits } from "../command.ts";
import { counted, type Printed } from "../paint.ts";
import { databaseOf } from "./database.ts";

/** What is found in the database that was chosen. */
export async function checked(call: Pick<Call, "root" | "environment">): Promise<Checked> {
  // It is large, and the doctor of files has no use of it.
  const { checkPostgresStore } = await import("@troupe/store-postgres");
  return checkPostgresStore({ url: databaseOf(call).url });
}

export async function run(call: Call): Promise<Answer> {
  const { name } = databaseOf(call);
  const { findings, ...about } = await checked(call);
  const { step, needed } = about;
  const isRight = step === needed && findings.length === 0;
  return {
    document: { store: name, ...about, findings },
    text: [
      ...aboutText(about),
      ...findings.flatMap(({ where, message, fix }) => [
        [{ text: "wrong   ", style: "red" } as const, `${where}: ${message}`],
        `        ${fix}`,
      ]),
      ...(step === needed ? [findings.length === 0 ? "nothing is wrong" : counted(findings.length, "problem")] : []),
    ],
    exit: isRight ? exits.done : exits.failed,
    ...(step !== needed && { remark: step < needed ? "troupe store migrate brings it up to date" : "update troupe" }),
  };
}

function aboutText({ server, step, needed, isStandby, lagMs }: Omit<Checked, "findings">): Printed[] {
  const lag = lagMs === null ? [] : [`${isStandby ? "it" : "what follows it"} is ${Math.round(lagMs)} ms behind`];
  return [
    `PostgreSQL ${server}${isStandby ? ", which follows another and cannot be written" : ""}`,
    `tables of step ${step}${step === needed ? "" : `; this troupe needs step ${needed}`}`,
    ...lag,
  ];
}
