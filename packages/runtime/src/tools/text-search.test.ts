import { setImmediate as round } from "node:timers/promises";
import { expect, test } from "vitest";
import { openTextSearch } from "./text-search.ts";

const endless = "^(a+)+$";
const text = `${"a".repeat(60)}!\n`.repeat(20_000);
const longMs = 600_000;

test("other work goes on beside an expression that takes for ever, and the signal ends it", async () => {
  const search = openTextSearch(endless, false, false, longMs);
  const call = new AbortController();
  const hits = search.hitsIn(text, call.signal);
  for (let at = 0; at < 10; at += 1) await round();
  call.abort();
  expect(await hits).toBeUndefined();
  await search.close();
});

test("a search whose text took too long goes on with the next text", async () => {
  const search = openTextSearch(endless, false, false, 200);
  const { signal } = new AbortController();
  expect(await search.hitsIn(text, signal)).toBeUndefined();
  const again = openTextSearch("b|c", false, false, longMs);
  expect(await again.hitsIn("a\nab\r\nc\n", signal)).toEqual([
    { line: 1, column: 1 },
    { line: 2, column: 0 },
  ]);
  expect(await search.hitsIn("!\naaa", signal)).toEqual([{ line: 1, column: 0 }]);
  await Promise.all([search.close(), again.close()]);
});

test("nothing is sought once the signal has fired", async () => {
  const search = openTextSearch("a", false, false, longMs);
  expect(await search.hitsIn("a", AbortSignal.abort())).toBeUndefined();
  await search.close();
});
