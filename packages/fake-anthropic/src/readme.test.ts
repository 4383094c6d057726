import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, expect, test, vi } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
const places: string[] = [];
afterEach(() => {
  for (const place of places.splice(0)) rmSync(place, { recursive: true });
  vi.restoreAllMocks();
});

/**
 * Inside the package, so that the example resolves its name, and next to build output, which is not
 * committed.
 */
function newPlace(): string {
  const dist = join(root, "dist");
  mkdirSync(dist, { recursive: true });
  const place = mkdtempSync(join(dist, "readme-"));
  places.push(place);
  return place;
}

test("the README's example runs and prints what the README says", async () => {
  const [, program = ""] = /```ts\n(.*?)```/s.exec(readFileSync(join(root, "README.md"), "utf8")) ?? [];
  const said = [...program.matchAll(/^console\.log\(.*\); \/\/ (.*)$/gm)].map(([, line]) => line);
  const file = join(newPlace(), "example.ts");
  writeFileSync(file, program);
  const log = vi.spyOn(console, "log").mockImplementation(() => {});
  await import(file);
  expect(said.length).toBeGreaterThan(0);
  expect(log.mock.calls.map(([line]) => String(line))).toEqual(said);
});
