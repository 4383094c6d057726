import { expect, test } from "vitest";
import { localTime } from "./local-time.ts";

test("a year has four digits also where it needs fewer, so that times stand below each other", () => {
  expect(localTime(new Date("0476-09-04T12:00:00Z"))).toMatch(/^0476-09-0\d \d\d:\d\d:\d\d [+-]\d\d:\d\d$/);
});
