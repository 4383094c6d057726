import { TroupeError } from "@troupe/protocol";
import type { Call } from "../command.ts";
import { chosenStore } from "../store-choice.ts";

/** The database that was chosen. Throws `arguments_invalid` where files were. */
export function databaseOf(call: Pick<Call, "root" | "environment">): { readonly url: string; readonly name: string } {
  const { url, name } = chosenStore(call);
  if (url !== undefined) return { url, name };
  const message = `the teams are files below ${name}: name a database with --store postgres://USER@HOST/DATABASE, or set TROUPE_STORE`;
  throw new TroupeError("arguments_invalid", message);
}
