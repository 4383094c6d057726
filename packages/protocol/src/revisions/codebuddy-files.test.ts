import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { codecFor, detectForm } from "./detect.ts";

const scene = join(import.meta.dirname, "../../corpus/client/codebuddy-2.117.0/in-process");
const codec = codecFor("2026-02");
const files = readdirSync(scene).map((name) => ({ name, text: readFileSync(join(scene, name), "utf8") }));
const of = (part: string) => files.filter(({ name }) => name.includes(part)).map(({ text }) => text);

test("a config of CodeBuddy Code, with keys of its own and without a model, is right and is written back as it was", () => {
  expect(of("config")).toHaveLength(2);
  for (const text of of("config")) {
    const found = codec.readTeam(text, "crew");
    expect(found.problems).toEqual([]);
    expect(codec.write(found.raw)).toBe(text);
  }
});

test("its inboxes are right; what it asks and answers at an end is read, with ids in snake case", () => {
  const texts = of("inboxes");
  for (const text of texts) expect(codec.readInbox(text).problems).toEqual([]);
  const bodies = texts.flatMap((text) => codec.readInbox(text).entries.map((entry) => codec.readBody(entry.text)));
  const requestId = "shutdown-helper-1795098363095-e8c552fe";
  expect(bodies).toContainEqual(
    expect.objectContaining({ body: expect.objectContaining({ type: "shutdown_request", requestId, reason: "done" }) }),
  );
  expect(bodies).toContainEqual(
    expect.objectContaining({
      body: expect.objectContaining({ type: "shutdown_approved", requestId, from: "helper" }),
    }),
  );
  expect(bodies.filter(({ kind }) => kind !== "message" && kind !== "text")).toEqual([]);
  expect(detectForm(of("config")[0] ?? "", texts)).toBe("2026-02");
});

test("a task of it, which has no edges, is read with what is missing said", () => {
  const [text = ""] = of("tasks");
  const { value, problems } = codec.readTask(text, "1");
  expect(value).toMatchObject({ subject: "One", status: "pending", owner: "helper", createdAt: 1795098176871 });
  expect(problems.map(({ path, code }) => `${path} ${code}`)).toEqual([
    "/blocks field_missing",
    "/blockedBy field_missing",
  ]);
});
