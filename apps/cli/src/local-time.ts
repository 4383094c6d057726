/** Formats a time in the local zone with its UTC offset: `2026-11-18 16:25:22 +01:00`. */
export function localTime(time: Date): string {
  const minutes = -Math.round(time.getTimezoneOffset());
  const year = `${time.getFullYear()}`.padStart(4, "0");
  const date = `${year}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  const clock = `${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`;
  const far = Math.abs(minutes);
  return `${date} ${clock} ${minutes < 0 ? "-" : "+"}${two(Math.floor(far / 60))}:${two(far % 60)}`;
}

const two = (number: number): string => (number < 10 ? `0${number}` : `${number}`);
