import { resolve } from "node:path";
import { readArchive } from "@troupe/store/files";
import { importPostgresStore } from "@troupe/store-postgres";
import { type Answer, type Call, exits } from "../command.ts";
import { countsOf, countsText } from "./archive-text.ts";
import { databaseOf } from "./database.ts";

export async function run(call: Call<{ dir: string | undefined }>): Promise<Answer> {
  const { url, name } = databaseOf(call);
  const root = resolve(call.cwd, call.args.dir ?? call.root);
  const { archive, left } = await readArchive(root);
  await importPostgresStore({ url }, archive);
  const counts = countsOf(archive);
  return {
    document: { store: name, root, ...counts, left },
    text: [`${name} has ${countsText(counts)} more`, ...left.map(({ message }) => `left: ${message}`)],
    exit: left.length === 0 ? exits.done : exits.failed,
    remark: `the files below ${root} stay as they are: what works on them does not see the database`,
  };
}
