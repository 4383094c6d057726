import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Confinement } from "@troupe/runtime";
import { expect, test } from "vitest";
import { describeWith } from "../require.ts";
import { describeConfined, scratch, shellIn } from "./confined.ts";
import { endlessPdf, packedPdf, pagesOf } from "./pdfs.ts";

function bench(bytes: Buffer, { pdfMs, confinement }: { pdfMs?: number; confinement?: Confinement } = {}) {
  const cwd = scratch();
  writeFileSync(join(cwd, "a.pdf"), bytes);
  const { call } = shellIn(cwd, confinement, {}, pdfMs);
  const read = (pages?: string) => call("Read", { file_path: "a.pdf", ...(pages !== undefined && { pages }) });
  return { read, path: join(cwd, "a.pdf") };
}

const failing = (text: RegExp) => ({ isError: true, text: expect.stringMatching(text) });
const many = (count: number) => Array.from({ length: count }, (_, at) => `Words of ${at + 1}`);

describeWith("pdftotext", "a PDF", () => {
  test("is read as text, page by page, twenty at a time, with the number of each and where to go on", async () => {
    const { read } = bench(pagesOf(many(45)));
    const { text } = await read();
    expect(text).toMatch(/^--- page 1 ---\nWords of 1\n--- page 2 ---\n/);
    expect(text.match(/^--- page /gm)).toHaveLength(20);
    expect(text).toMatch(/Words of 20\n… \[there are more pages; continue with pages "21-"\]$/);
    expect((await read("41-")).text).toMatch(/^--- page 41 ---[\s\S]*--- page 45 ---\nWords of 45$/);
    expect((await read("7")).text).toMatch(/^--- page 7 ---\nWords of 7\n… .*"8-"/);
    expect((await read("44-45")).text).toBe("--- page 44 ---\nWords of 44\n--- page 45 ---\nWords of 45");
  });

  test("without such pages, with a range that is none, or with too many pages at once is not read, and the error says what may be asked for", async () => {
    const { read } = bench(pagesOf(many(3)));
    expect(await read("4")).toMatchObject(failing(/3 pages|no page 4/));
    for (const pages of ["0", "2-1", "1-21", "all", "-1", "1,2"])
      expect(await read(pages)).toMatchObject(failing(/pages must be like/));
  });

  test("without text is said to have none, and one that is too long is cut where that is said", async () => {
    expect((await bench(pagesOf(["", ""])).read()).text).toMatch(/have no text; they may be pictures/);
    const { text } = await bench(pagesOf([`${"long words ".repeat(5)}\n`.repeat(2_000), "behind"])).read();
    expect(text.length).toBeLessThan(101_000);
    expect(text).toMatch(/the page is cut here\]\n… \[there are more pages; continue with pages "2-"\]$/);
  });

  test("that is broken, cut or no PDF at all is an error in words", async () => {
    const whole = pagesOf(many(3));
    expect(await bench(Buffer.from("%PDF-1.7\nnothing of the kind")).read()).toMatchObject(
      failing(/no PDF that can be read/),
    );
    const { text } = await bench(whole.subarray(0, whole.length / 2)).read();
    expect(text).toMatch(/page 1|no PDF that can be read|has no page/);
    const noise = Buffer.concat([
      Buffer.from("%PDF-1.4\n"),
      Buffer.alloc(100_000, "\x00\xff1 0 obj << /Kids [1 0 R] >> "),
    ]);
    expect(await bench(noise).read()).toMatchObject({ isError: true });
  });

  test("that is encrypted is said to be so, and how to go on", async () => {
    const encrypted = `/Encrypt << /Filter /Standard /V 1 /R 2 /O <${"41".repeat(32)}> /U <${"42".repeat(32)}> /P -4 >> /ID [<${"00".repeat(16)}> <${"00".repeat(16)}>] `;
    expect(await bench(pagesOf(many(1), encrypted)).read()).toMatchObject(failing(/is encrypted.*without one/));
  });

  test("that takes for ever to draw is given up, and nothing of its reading runs on", async () => {
    const { read, path } = bench(endlessPdf(), { pdfMs: 1_000 });
    expect(await read()).toMatchObject(failing(/pdftotext took longer than 1 s; select fewer pages/));
    const running = execFileSync("ps", ["-eo", "args"], { encoding: "utf8" });
    expect(running.split("\n").filter((line) => line.includes(path))).toEqual([]);
  });

  test("that unpacks to more than memory may hold ends in an error or in its beginning, and the process goes on", async () => {
    const { text } = await bench(packedPdf(40), { pdfMs: 1_000 }).read();
    expect(text).toMatch(/could not be read: pdftotext|the page is cut here/);
  });
});

describeConfined("a PDF that is read in confinement", (confinement) => {
  describeWith("pdftotext", "by pdftotext", () => {
    test("has the same text as without it, and ends as early", async () => {
      expect((await bench(pagesOf(many(2)), { confinement }).read()).text).toBe(
        "--- page 1 ---\nWords of 1\n--- page 2 ---\nWords of 2",
      );
      const endless = bench(endlessPdf(), { confinement, pdfMs: 1_000 });
      expect(await endless.read()).toMatchObject(failing(/took longer than 1 s/));
    });
  });
});
