import type { Source } from "./source.ts";

/** What a path asks to look at; undefined for a path that asks for nothing. */
export type Look = (source: Source) => Promise<object | undefined>;

/** The words of a path; undefined for one that is not written as we write it. */
export function wordsOf(path: string): readonly string[] | undefined {
  try {
    return path.slice(1).split("/").map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

export function lookFor(words: readonly string[], query: URLSearchParams): Look | undefined {
  const [api, kind, team = "", part, one = "", other = ""] = words;
  if (api !== "api") return undefined;
  const before = query.get("before") ?? undefined;
  if (words.length === 2 && kind === "teams") return (source) => source.teams();
  if (words.length === 2 && kind === "doctor") return (source) => source.doctor();
  if (kind !== "team" || team === "") return undefined;
  if (words.length === 3) return (source) => source.team(team);
  if (words.length === 4) {
    if (part === "log") return (source) => source.log(team, { after: query.get("after") ?? undefined });
    if (part === "threads") return (source) => source.threads(team);
    if (part === "timeline") return (source) => source.timeline(team);
    if (part === "cost") return (source) => source.cost(team);
  }
  if (words.length === 5 && part === "inbox") return (source) => source.inbox(team, one, { before });
  if (words.length === 5 && part === "member") return (source) => source.member(team, one);
  if (words.length === 6 && part === "thread") return (source) => source.thread(team, one, other, { before });
  return undefined;
}
