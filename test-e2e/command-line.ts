import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, expect, vi } from "vitest";

const repository = join(import.meta.dirname, "..");
export const main = join(repository, "apps/cli/dist/main.js");
export const sample = join(repository, "apps/cli/sample");

const schemas = join(repository, "apps/cli/schemas");
const ajv = new Ajv2020({ strict: true, strictTypes: false });
for (const file of readdirSync(schemas)) ajv.addSchema(JSON.parse(readFileSync(join(schemas, file), "utf8")));

/** Does a document satisfy the schema of this name? Fails with what is wrong. */
export function expectSchema(name: string, document: unknown): void {
  const validate = ajv.getSchema(`urn:troupe:cli:${name}`);
  expect(validate, `there is a schema ${name}`).toBeDefined();
  expect(validate?.(document) ? [] : validate?.errors, JSON.stringify(document)).toEqual([]);
}

const { CLAUDE_CONFIG_DIR: _, COLUMNS: __, FORCE_COLOR: ___, NO_COLOR: ____, ...surroundings } = process.env;

/** What a run is given beside its words. */
export interface Given {
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  readonly cwd?: string;
}

/** The command as a user has it, with a home and a root of its own that go when the file is done. */
export function openTroupe() {
  const home = mkdtempSync(join(tmpdir(), "troupe-"));
  const root = join(home, ".claude");
  const environment = { ...surroundings, HOME: home };
  // Many commands one after the other, on a machine that may have other work.
  vi.setConfig({ testTimeout: 30_000 });
  afterAll(() => rmSync(home, { recursive: true, force: true }));

  /** A slow machine makes it say that it is still at work: that is left out. */
  function troupe(args: readonly string[], { env = {}, input = "", cwd = home }: Given = {}) {
    const options = { cwd, input, encoding: "utf8", env: { ...environment, ...env } } as const;
    const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args], options);
    return { status, stdout, stderr: stderr.replaceAll(/^troupe: .* is still at work after \d+ s\n/gm, "") };
  }

  return {
    home,
    root,
    troupe,
    /** What it prints when all goes well. */
    told(...args: string[]): string {
      const answer = troupe(args);
      expect(answer, args.join(" ")).toMatchObject({ status: 0, stderr: "" });
      return answer.stdout;
    },
    /** What it prints with `--json`, which satisfies the schema of that name. */
    json(schema: string, args: readonly string[], given: Given & { status?: number } = {}) {
      const { status, stdout, stderr } = troupe([...args, "--json"], given);
      expect({ status, stderr }, args.join(" ")).toEqual({ status: given.status ?? 0, stderr: "" });
      const document = JSON.parse(stdout);
      expectSchema(schema, document);
      return document;
    },
    /** The one line in which it refuses. */
    refusal(status: number, args: readonly string[], given: Given = {}): string {
      const answer = troupe(args, given);
      expect(answer, args.join(" ")).toMatchObject({ status, stdout: "" });
      expect(answer.stderr).toMatch(/^troupe: [^\n]+\n$/);
      return answer.stderr.slice("troupe: ".length, -1);
    },
    /** A run that goes on. */
    begin: (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
      spawn(process.execPath, [main, ...args], { cwd: home, env: { ...environment, ...env } }),
  };
}
