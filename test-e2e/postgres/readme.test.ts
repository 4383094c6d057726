import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { describeWithServer } from "./suite.ts";

const cwd = join(import.meta.dirname, "..");
const page = readFileSync(join(cwd, "../packages/store-postgres/README.md"), "utf8");
const [, program = ""] = /```ts\n(.*?)```/s.exec(page) ?? [];
const promised = [...program.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map(([, said = ""]) => said);

await describeWithServer("the README of the store on PostgreSQL", (server) => {
  test("has an example that runs and prints what it says", async () => {
    const { url } = await server().newPlace();
    const env = { ...process.env, TROUPE_STORE: url };
    const run = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program], { cwd, env });
    expect(run.stdout.trimEnd().split("\n")).toEqual(promised);
    expect(promised).toHaveLength(2);
  });
});
