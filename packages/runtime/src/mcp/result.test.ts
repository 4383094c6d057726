import { expect, test } from "vitest";
import { outcomeOf } from "./result.ts";

const text = (words: string) => ({ type: "text", text: words });
const blocksOf = (...content: Parameters<typeof outcomeOf>[0]["content"]) => outcomeOf({ content }).content;

test("an image the API takes is passed on; other media is told and left out", () => {
  expect(blocksOf({ type: "image", mimeType: "image/png", data: "QUJD" })).toEqual([
    { type: "image", source: { type: "base64", media_type: "image/png", data: "QUJD" } },
  ]);
  expect(
    blocksOf(
      { type: "image", mimeType: "image/tiff", data: "QUJD" },
      { type: "image", mimeType: "image/png", data: "A".repeat(5_000_001) },
      { type: "audio", mimeType: "audio/wav", data: "QUJD" },
      { type: "resource", resource: { uri: "file:///a.bin", blob: "QUJD" } },
    ),
  ).toEqual([
    text("(left out: an image, image/tiff, 3 bytes)"),
    text("(left out: an image, image/png, 3750000 bytes)"),
    text("(left out: audio, audio/wav, 3 bytes)"),
    text("(left out: file:///a.bin, 3 bytes)"),
  ]);
});

test("a resource is told with its address, a link by its name", () => {
  expect(
    blocksOf(
      { type: "resource", resource: { uri: "file:///a.md", text: "# A" } },
      { type: "resource_link", name: "b", uri: "file:///b.md" },
    ),
  ).toEqual([text("file:///a.md\n# A"), text("b: file:///b.md")]);
});

test("a result is never empty: structured content stands in for no content, and words for nothing at all", () => {
  expect(outcomeOf({ content: [text("") as never], structuredContent: { a: 1 } }).content).toEqual([text('{"a":1}')]);
  expect(blocksOf()).toEqual([text("(no output)")]);
});

test("all the text together is bounded, and so are the images", () => {
  const content = Array.from({ length: 5 }, () => text("x".repeat(30_000)) as never);
  const blocks = blocksOf(...content);
  expect(blocks.map((block) => String(block["text"]).replace(/^x+/, (run) => `${run.length}`))).toEqual([
    "30000",
    "30000",
    "30000",
    "10000\n(cut: the result is too long)",
  ]);
  const images = Array.from({ length: 30 }, () => ({ type: "image", mimeType: "image/png", data: "QUJD" }) as const);
  expect(blocksOf(...images)).toHaveLength(20);
});
