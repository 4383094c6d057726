import type { MemberState } from "../../views.ts";

/** How long ago something was, in the largest unit that is not zero. */
export function ageText(since: string | number | null, now: number): string {
  const at = typeof since === "string" ? Date.parse(since) : (since ?? Number.NaN);
  if (Number.isNaN(at) || at <= 0) return "";
  const seconds = Math.max(0, Math.floor((now - at) / 1_000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} m`;
  return seconds < 86_400 ? `${Math.floor(seconds / 3_600)} h` : `${Math.floor(seconds / 86_400)} d`;
}

/** A state in a word; its shape says the same. */
export const stateWords: Readonly<Record<MemberState, string>> = {
  needs_input: "needs you",
  failed: "failed",
  lost: "process gone",
  working: "working",
  waiting: "waits for an agent",
  idle: "idle",
  unknown: "not known",
};

/** Who says what a member does. */
export const sourceWords = {
  log: "as it recorded",
  process: "as its process shows",
  roster: "as the team's config says",
  nothing: "nothing tells",
} as const;

/** `1 task`, `2 tasks`. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

export const moneyText = (cost: number | null): string => (cost === null ? "price not known" : `$${cost.toFixed(4)}`);
export const tokenText = (count: number): string => {
  if (count < 10_000) return String(count);
  return count < 10_000_000 ? `${Math.round(count / 1_000)}k` : `${Math.round(count / 1_000_000)}M`;
};
export const shareText = (part: number, whole: number): string =>
  `${whole === 0 ? 0 : Math.round((100 * part) / whole)} %`;

/** The time of a day, and the day where it is another one. */
export function timeText(at: string, now: number): string {
  const time = new Date(at);
  if (Number.isNaN(time.getTime())) return at;
  const clock = time.toTimeString().slice(0, 8);
  return time.toDateString() === new Date(now).toDateString() ? clock : `${time.toISOString().slice(0, 10)} ${clock}`;
}
