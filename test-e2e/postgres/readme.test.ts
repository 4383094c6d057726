import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { describeWithServer } from "./suite.ts";

const cwd = join(import.meta.dirname, "..");
const page = readFileSync(join(cwd, "../packages/store-postgres/README.md"), "utf8");
const [, program = ""] = /```ts\n(.*?)```/s.exec(page) ?? [];
const promised = [...program.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map(([, said = ""]) => said);

interface Compose {
  readonly services: Record<
    string,
    {
      readonly image: string;
      readonly environment: Record<string, string>;
      readonly secrets: readonly string[];
      readonly volumes: readonly string[];
    }
  >;
  readonly secrets: Record<string, object>;
  readonly volumes: Record<string, object>;
}

test("the compose file of the README names no secret or volume that it lacks, and keeps what the image writes", () => {
  const front = readFileSync(join(cwd, "../README.md"), "utf8");
  const [, text = ""] = /```yaml\n(services:.*?)```/s.exec(front) ?? [];
  const { services, secrets, volumes } = parse(text, { strict: true }) as Compose;
  const { db } = services;
  expect(db?.image).toMatch(/^postgres:1[89]$/);
  expect(db?.secrets.filter((name) => !Object.hasOwn(secrets, name))).toEqual([]);
  expect(db?.secrets.map((name) => `/run/secrets/${name}`)).toContain(db?.environment["POSTGRES_PASSWORD_FILE"]);
  // From 18 on the data lies below this directory; before, in one of its own.
  const [[volume = "", place] = []] = db?.volumes.map((one) => one.split(":")) ?? [];
  expect([Object.hasOwn(volumes, volume), place]).toEqual([true, "/var/lib/postgresql"]);
  expect(front).toContain(`postgres://${db?.environment["POSTGRES_USER"]}@`);
  expect(front).toContain(`/${db?.environment["POSTGRES_DB"]}`);
});

await describeWithServer("the README of the store on PostgreSQL", (server) => {
  test("has an example that runs and prints what it says", async () => {
    const { url } = await server().newPlace();
    const env = { ...process.env, TROUPE_STORE: url };
    const run = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program], { cwd, env });
    expect(run.stdout.trimEnd().split("\n")).toEqual(promised);
    expect(promised).toHaveLength(2);
  });
});
