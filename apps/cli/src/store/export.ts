import { resolve } from "node:path";
import { writeArchive } from "@troupe/store/files";
import { exportPostgresStore } from "@troupe/store-postgres";
import type { Answer, Call } from "../command.ts";
import { countsOf, countsText } from "./archive-text.ts";
import { databaseOf } from "./database.ts";

export async function run(call: Call<{ dir: string }>): Promise<Answer> {
  const { url, name } = databaseOf(call);
  const root = resolve(call.cwd, call.args.dir);
  const archive = await exportPostgresStore({ url });
  writeArchive(root, archive);
  const counts = countsOf(archive);
  return { document: { store: name, root, ...counts }, text: [`${root} has ${countsText(counts)}`] };
}
