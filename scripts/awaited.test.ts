import { expect, test } from "vitest";
import { awaited, untilSeen } from "./awaited.ts";

const message = "waited 0.02 s for a notification, which did not come";

test("a wait for what never comes fails with the name of it", async () => {
  await expect(awaited("a notification", new Promise(() => {}), 20)).rejects.toThrow(message);
});

test("looking for what is never there fails with the name of it, and ends", async () => {
  let looks = 0;
  const look = () => {
    looks += 1;
  };
  await expect(untilSeen("a notification", look, 20)).rejects.toThrow(message);
  await new Promise(setImmediate);
  const after = looks;
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  expect([after > 1, looks]).toEqual([true, after]);
});

test("awaited passes on a value or failure, also a number or an empty text", async () => {
  expect(await awaited("it", Promise.resolve("here"))).toBe("here");
  await expect(awaited("it", Promise.reject(new Error("its own")))).rejects.toThrow("its own");
  const found = [false, undefined, 0];
  expect(await untilSeen("it", () => found.shift())).toBe(0);
  await expect(untilSeen("it", () => Promise.reject(new Error("its own")))).rejects.toThrow("its own");
});
