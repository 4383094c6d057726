import { TroupeError } from "@troupe/protocol";

/** How long ago something was, in the largest unit that is not zero: `3 m`. */
export function ageText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} m`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}

const units: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Reads a moment as people write it: an age such as `10m`, or a time in ISO 8601. */
export function momentFrom(option: string, text: string, now: Date): number {
  const [, count = "", unit = ""] = /^(\d+)\s*([smhd])$/.exec(text) ?? [];
  const moment = unit === "" ? Date.parse(text) : now.getTime() - Number(count) * (units[unit] ?? 0);
  if (!Number.isNaN(moment) && (unit !== "" || /^\d{4}-\d\d-\d\d/.test(text))) return moment;
  const message = `${option} needs an age such as 30s, 10m, 2h or 3d, or a time such as 2026-11-18T09:00:00Z, not ${JSON.stringify(text)}`;
  throw new TroupeError("arguments_invalid", message, { text });
}
