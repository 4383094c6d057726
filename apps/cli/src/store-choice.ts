import { readFileSync } from "node:fs";
import { join } from "node:path";
import { TroupeError } from "@troupe/protocol";
import type { Call } from "./command.ts";

/** Where the teams of a call are kept. */
export interface StoreChoice {
  /** Of PostgreSQL; undefined for files below the root. */
  readonly url: string | undefined;
  /** For people: the root, or the address without its password. */
  readonly name: string;
}

/** The word for files, where the environment or a setting says otherwise. */
export const filesWord = "files";

/** What the command line says, else the environment, else the person's settings, else files. */
export function chosenStore({ root, environment }: Pick<Call, "root" | "environment">): StoreChoice {
  const word = environment["TROUPE_STORE"] || settingIn(root) || filesWord;
  if (word === filesWord) return { url: undefined, name: root };
  return { url: word, name: shownAddress(word) };
}

/** A folder never says where teams are kept: it may be a clone of anybody's. */
function settingIn(root: string): string | undefined {
  const path = join(root, "settings.json");
  const text = textAt(path);
  if (!text.includes('"teamStore"')) return undefined;
  let word: unknown;
  try {
    word = (JSON.parse(text) as { readonly teamStore?: unknown }).teamStore;
  } catch (error) {
    throw new TroupeError("document_unreadable", `${path} names a teamStore and is no JSON: fix it`, { path }, error);
  }
  if (word === undefined || typeof word === "string") return word;
  throw new TroupeError("document_invalid", `teamStore in ${path} is no text: write ${wanted}`, { path });
}

function textAt(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    // Sessions say what is wrong with settings that cannot be read.
    return "";
  }
}

const wanted = `postgres://USER@HOST/DATABASE, or ${filesWord}`;

/** No part of an address that is wrong is repeated: it may be a password. */
function shownAddress(word: string): string {
  const url = /^postgres(ql)?:\/\//.test(word) && URL.canParse(word) ? new URL(word) : undefined;
  if (!url)
    throw new TroupeError("arguments_invalid", `the store has to be ${wanted} (--store, TROUPE_STORE, teamStore)`);
  url.password = "";
  const shown = [...url.searchParams].filter(([name]) => name === "host" || name === "options");
  url.search = new URLSearchParams(shown).toString().replaceAll("+", "%20");
  return url.href;
}
