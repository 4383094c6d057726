import { readdirSync, readFileSync } from "node:fs";
import type { Mode } from "./hostile-ground.ts";

export interface Row {
  /** The line above it: mode, place and rules. */
  readonly under: string;
  readonly mode: Mode;
  /** Which of the projects of the ground it is tried in. */
  readonly place: string;
  readonly rules: readonly { readonly behavior: "allow" | "ask" | "deny"; readonly text: string }[];
  readonly verdict: "allow" | "ask" | "deny";
  /** A real bash shows the harm. */
  readonly isShown: boolean;
  readonly text: string;
  readonly why: string;
}

const tables = new URL("../src/permissions/hostile/", import.meta.url);

export const tableNames: readonly string[] = readdirSync(tables)
  .filter((name) => name.endsWith(".txt"))
  .map((name) => name.slice(0, -4));

/** The rows of a table; a line that is none is an error. */
export function rowsOf(table: string): readonly Row[] {
  let under = "";
  const [, ...lines] = readFileSync(new URL(`${table}.txt`, tables), "utf8").split("\n");
  return lines.flatMap((line) => {
    if (line === "") return [];
    if (/^\[\w+(?: in \w+)?\]/.test(line)) {
      under = line;
      return [];
    }
    const found = /^(allow|ask|deny)(!?) (.*) ← (.+)$/.exec(line);
    const [, mode = "default", place = "project", list = ""] = /^\[(\w+)(?: in (\w+))?\] ?(.*)$/.exec(under) ?? [];
    if (!found) throw new Error(`${table}.txt has a line that is no row: ${line}`);
    const [, verdict, shown, text = "", why = ""] = found;
    const rules = list
      .split(" ;; ")
      .filter(Boolean)
      .map((rule) => {
        const [behavior = "", ...rest] = rule.split(" ");
        return { behavior: behavior as Row["verdict"], text: rest.join(" ") };
      });
    return [
      {
        under,
        mode: mode as Mode,
        place,
        rules,
        verdict: verdict as Row["verdict"],
        isShown: shown === "!",
        text,
        why,
      },
    ];
  });
}
