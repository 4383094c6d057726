import { Writable } from "node:stream";
import { expect, test } from "vitest";
import { openOutput } from "./output.ts";

/** Returns how an error is printed on a stream of this kind. */
async function complained(stream: { isTTY?: boolean; columns?: number }): Promise<string> {
  const chunks: Buffer[] = [];
  const write = (chunk: Buffer, _encoding: string, done: () => void) => {
    chunks.push(chunk);
    done();
  };
  const stderr = Object.assign(new Writable({ write }), stream);
  const env = { COLUMNS: "20" };
  const output = openOutput({ stdout: process.stdout, stderr, env, isJson: false, isDebug: false, isLive: false });
  await output.complain({ message: "there is no team x: troupe team list", exit: 3, code: "team_unknown" });
  return Buffer.concat(chunks).toString();
}

test("a complaint is wrapped between words on a terminal, and one line everywhere else", async () => {
  expect(await complained({ isTTY: true, columns: 32 })).toBe("troupe: there is no team x:\ntroupe team list\n");
  expect(await complained({ isTTY: true })).toBe("troupe: there is no team x: troupe team list\n");
  expect(await complained({})).toBe("troupe: there is no team x: troupe team list\n");
});

/** Prints lines on a stream that takes so many pieces before its reader goes. */
async function printed(lines: readonly string[], taken = Infinity) {
  const chunks: string[] = [];
  const write = (chunk: Buffer, _encoding: string, done: (error?: Error) => void) => {
    if (chunks.length >= taken) return done(new Error("EPIPE"));
    chunks.push(chunk.toString());
    done();
  };
  const stdout = new Writable({ write }).on("error", () => {});
  const output = openOutput({ stdout, stderr: process.stderr, env: {}, isJson: false, isDebug: false, isLive: false });
  let isFollowed = false;
  await output.print({
    text: lines,
    afterwards: async () => {
      isFollowed = true;
    },
  });
  return { text: chunks.join(""), isFollowed };
}

test("an answer ends with one line break, however many pieces it is printed in, and is none where there is no text", async () => {
  const many = Array.from({ length: 20_000 }, (_, n) => `line ${n}`);
  expect(await printed(many)).toEqual({ text: `${many.join("\n")}\n`, isFollowed: true });
  expect(await printed(["one", ""])).toEqual({ text: "one\n\n", isFollowed: true });
  expect(await printed([""])).toEqual({ text: "", isFollowed: true });
  expect(await printed([])).toEqual({ text: "", isFollowed: true });
});

test("what follows an answer is not done where a piece of it was not taken", async () => {
  const many = Array.from({ length: 20_000 }, (_, n) => `line ${n}`);
  expect((await printed(many, 1)).isFollowed).toBe(false);
  expect((await printed(["one"], 0)).isFollowed).toBe(false);
});
