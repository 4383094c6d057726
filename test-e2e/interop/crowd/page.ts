import type { Finding } from "../checks.ts";
import type { Result } from "../page.ts";

/** Nothing is missing, nothing comes twice, nothing was refused, and no file stayed torn. */
const isWhole = (note: string): boolean => /^((\d+) of \2(; 0 .*)?|none|\d+ looks; .*)$/.test(note);

/** Rows of a crowd with Troupe and of one without, for each check in which either falls short. */
export function besideAndWithout(results: readonly Result[]): readonly (readonly string[])[] {
  return results.flatMap(({ client, found }) =>
    (found["control-4"] ?? []).flatMap(({ what, note = "" }) => {
      const beside = (found["4"] ?? []).find((finding: Finding) => finding.what === what)?.note ?? "not run";
      return isWhole(beside) && isWhole(note) ? [] : [[client, what, beside, note]];
    }),
  );
}
