import { chmodSync, mkdirSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { workbench } from "../../test/workbench.ts";
import type { Confinement, WritablePlaces } from "../confinement/confinement.ts";

function bench(bytes: Buffer, over: Parameters<typeof workbench>[0] = {}) {
  const made = workbench(over);
  writeFileSync(join(made.cwd, "a.pdf"), bytes);
  const read = (pages?: string) => made.call("Read", { file_path: "a.pdf", ...(pages !== undefined && { pages }) });
  return { ...made, read, path: join(made.cwd, "a.pdf") };
}

const failing = (text: RegExp) => ({ isError: true, text: expect.stringMatching(text) });
test("where the system can confine programs, the one that reads a PDF is confined and writes nowhere, or is not run", async () => {
  const places: WritablePlaces[] = [];
  const refusing: Confinement = {
    name: "box 1.0",
    endsAll: true,
    confined(start, where) {
      places.push(where);
      return { ...start, program: "/bin/sh", args: ["-c", "echo no box >&2; exit 1"] };
    },
    faultIn: (stderr) => (stderr.includes("no box") ? "no box" : undefined),
  };
  const bin = join(workbench().cwd, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "pdftotext"), "#!/bin/sh\necho unconfined\n");
  chmodSync(join(bin, "pdftotext"), 0o755);
  const environment = { PATH: `${bin}:/usr/bin:/bin` };
  const { read } = bench(Buffer.from("%PDF-1.4\n"), { environment, confinement: refusing });
  expect(await read()).toMatchObject(failing(/box 1\.0 could not confine pdftotext \(no box\)/));
  expect(places).toEqual([{ writable: [], temporary: undefined }]);
});

test("a PDF that is too large is refused by its size", async () => {
  const { read, path } = bench(Buffer.from("%PDF-1.4\n"));
  truncateSync(path, 200_000_000);
  expect(await read()).toMatchObject(failing(/200000000 bytes, too many.*split it with Bash/));
});

test("without the program that reads PDFs the error says what to install, and a program that hangs is ended", async () => {
  const { read, cwd } = bench(Buffer.from("%PDF-1.4\n"), { environment: { PATH: "/nonexistent" } });
  expect(await read()).toMatchObject(failing(/pdftotext.*is not installed.*poppler-utils/));
  const bin = join(cwd, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "pdftotext"), "#!/bin/sh\nsleep 1000\n");
  chmodSync(join(bin, "pdftotext"), 0o755);
  const slow = bench(Buffer.from("%PDF-1.4\n"), { environment: { PATH: `${bin}:/usr/bin:/bin` }, pdfMs: 300 });
  expect(await slow.read()).toMatchObject(failing(/took longer than 0.3 s/));
});
