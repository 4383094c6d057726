import { expect, test } from "vitest";
import { Milliseconds, Timestamp } from "./timestamp.ts";

test("[ATP-INB-002] a message's time is UTC, to the second or to any fraction of it, up to the last value of each part", () => {
  for (const text of [
    "2026-02-13T10:10:53.467Z",
    "2026-02-13T10:10:53Z",
    "2026-02-13T10:10:53.4Z",
    "2026-02-13T10:10:53.467123456Z",
    "0001-01-01T00:00:00Z",
    "2026-12-31T23:59:60Z",
    "2026-10-30T19:09:59.999Z",
    "2026-09-29T09:30:09Z",
  ]) {
    expect(Timestamp.safeParse(text).success, text).toBe(true);
  }
});

test.each([
  "26-02-13T10:10:53Z",
  "2026-2-13T10:10:53Z",
  "2026-00-13T10:10:53Z",
  "2026-13-13T10:10:53Z",
  "2026-02-00T10:10:53Z",
  "2026-02-32T10:10:53Z",
  "2026-02-13 10:10:53Z",
  "2026-02-13T24:10:53Z",
  "2026-02-13T1:10:53Z",
  "2026-02-13T10:60:53Z",
  "2026-02-13T10:10:61Z",
  "2026-02-13T10:10Z",
  "2026-02-13T10:10:53.Z",
  "2026-02-13T10:10:53,467Z",
  "2026-02-13T10:10:53",
  "2026-02-13T10:10:53z",
  "2026-02-13T10:10:53+00:00",
  "2026-02-13T10:10:53Z ",
  " 2026-02-13T10:10:53Z",
  "2026-02-13T10:10:53Z\n",
])("[ATP-INB-002] %j is no time of a message", (text) => {
  const read = Timestamp.safeParse(text);
  expect(read.error?.issues.map(({ message }) => message)).toEqual(["a time in UTC like 2026-02-13T10:10:53.467Z"]);
});

test("a document's time is a whole number of milliseconds since 1970", () => {
  for (const value of [0, 1770535107409]) expect(Milliseconds.safeParse(value).success).toBe(true);
  for (const value of [-1, 1.5, 2 ** 53, Number.NaN, "1770535107409", null])
    expect(Milliseconds.safeParse(value).success, String(value)).toBe(false);
});
