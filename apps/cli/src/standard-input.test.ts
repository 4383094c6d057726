import { PassThrough, Readable } from "node:stream";
import { expect, test } from "vitest";
import { readAll } from "./standard-input.ts";

test("text that comes in pieces is put together before it is read as text", async () => {
  const input = new PassThrough();
  const [first, second] = [Buffer.from("翻译").subarray(0, 2), Buffer.from("翻译").subarray(2)];
  input.write(first);
  input.end(second);
  expect(await readAll(input)).toBe("翻译");
});

test("input without an end is refused once it is more than is read, and what fits is not", async () => {
  function* endless() {
    for (;;) yield "0123456789";
  }
  const reading = readAll(Readable.from(endless()), 1_000);
  await expect(reading).rejects.toMatchObject({
    code: "document_unreadable",
    message: expect.stringContaining("1000"),
  });
  expect(await readAll(Readable.from(["01234", "56789"]), 10)).toBe("0123456789");
});
