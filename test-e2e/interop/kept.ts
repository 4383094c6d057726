import type { Finding } from "./checks.ts";
import type { Result } from "./page.ts";

/** What was seen of a client then is with the finding, as long as that is the last. */
const told = ({ state, note }: Finding): string =>
  note === undefined ? state : `${state} (${note.replace(/; seen of it: .*/s, "")})`;

/** What is kept after another run: the last findings, how many runs, and in what they differed. */
export function joined(before: Result | undefined, result: Result): Result {
  const each = <T>(one: (id: string, found: readonly Finding[], earlier: readonly Finding[] | undefined) => T) =>
    Object.fromEntries(Object.entries(result.found).map(([id, found]) => [id, one(id, found, before?.found[id])]));
  const runs = each((id, _, earlier) => (before?.runs?.[id] ?? (earlier ? 1 : 0)) + 1);
  const differed = each((id, found, earlier = []) => [
    ...(before?.differed?.[id] ?? []),
    ...found.flatMap((finding) => {
      const last = earlier.find(({ what }) => what === finding.what);
      return last && last.state !== finding.state ? [`${finding.what}: ${told(last)}, then ${told(finding)}`] : [];
    }),
  ]);
  return {
    ...result,
    found: { ...before?.found, ...result.found },
    runs: { ...before?.runs, ...runs },
    differed: { ...before?.differed, ...differed },
  };
}
