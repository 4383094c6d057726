import { migratePostgresStore } from "@troupe/store-postgres";
import type { Answer, Call } from "../command.ts";
import { databaseOf } from "./database.ts";

export async function run(call: Call): Promise<Answer> {
  const { url, name } = databaseOf(call);
  const { from, to } = await migratePostgresStore({ url });
  const did =
    from === to ? `the tables of ${name} are those of step ${to} already` : `${name} has the tables of step ${to}`;
  return { document: { store: name, from, to }, text: [did] };
}
