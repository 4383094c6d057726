/** Formats a time in the local zone with its UTC offset: `2026-11-18 16:25:22 +01:00`. */
export function localTime(time: Date): string {
  const minutes = -Math.round(time.getTimezoneOffset());
  const wall = new Date(time.getTime() + minutes * 60_000);
  if (Number.isNaN(wall.getTime())) return time.toISOString();
  const two = (number: number) => String(Math.floor(number)).padStart(2, "0");
  const offset = `${minutes < 0 ? "-" : "+"}${two(Math.abs(minutes) / 60)}:${two(Math.abs(minutes) % 60)}`;
  return `${wall.toISOString().slice(0, -".000Z".length).replace("T", " ")} ${offset}`;
}
