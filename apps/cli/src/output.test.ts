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
