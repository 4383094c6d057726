import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { awaited } from "../scripts/awaited.ts";
import { openTroupe } from "./command-line.ts";
import { start } from "./store/processes.ts";

interface Event {
  readonly event: string;
  readonly to?: string;
  readonly entry?: { readonly text: string };
  readonly task?: { readonly status: string };
}

const { root, json, told, begin } = openTroupe();
const count = 60;

/**
 * The writes of a program that takes no lock: one inbox per revision, and again and again the
 * config and a task.
 */
function writers(team: string, revision: string) {
  const task = (kind: string, path: string) =>
    start("in-place-writer.mjs", { kind, path: join(root, path), count, revision });
  return [
    task("inbox", `teams/${team}/inboxes/alice.json`),
    task("inbox", `teams/${team}/inboxes/bob.json`),
    task("config", `teams/${team}/config.json`),
    task("task", `tasks/${team}/1.json`),
  ];
}

test.each(["2026-02", "2026-11"])(
  "beside a writer in place each message of %s is told once, nobody reads, joins or leaves, and nothing is wrong or deleted",
  async (revision) => {
    const team = `torn-${revision}`;
    told("team", "create", team, "--revision", revision);
    for (const name of ["alice", "bob"]) told("team", "join", team, name);
    told("task", "create", team, "Go on");
    mkdirSync(join(root, `teams/${team}/inboxes`), { recursive: true });
    for (const name of ["alice", "bob"]) writeFileSync(join(root, `teams/${team}/inboxes/${name}.json`), "[]");

    const watch = begin(["watch", team, "--json"]);
    const events: Event[] = [];
    const texts = (to: string) => events.flatMap(({ to: one, entry }) => (one === to ? (entry?.text ?? []) : []));
    const isTold = () =>
      texts("alice").length >= count &&
      texts("bob").length >= count &&
      events.findLast(({ task }) => task)?.task?.status === "completed";
    const lines = createInterface({ input: watch.stdout })[Symbol.asyncIterator]();
    const hear = async () => void events.push(JSON.parse((await lines.next()).value));
    const hearAll = async () => {
      while (!isTold()) await hear();
    };
    await hear();
    const over = hearAll();
    const running = writers(team, revision);
    const shown = [];
    for (let look = 0; look < 6; look += 1) {
      shown.push(json("team-show", ["team", "show", team]));
      const { events: logged } = json("log", ["log", team]);
      for (const to of ["alice", "bob"]) {
        const said = logged.filter((one: Event) => one.to === to).map(({ entry }: Event) => entry?.text);
        expect(said).toEqual(said.map((_: unknown, n: number) => `message ${n}`));
      }
    }
    const torn = await Promise.all(running.map(async ({ said }) => Number((await said)[0])));
    // What is torn or gone for a second is rightly named or missing: a busy disk can hold it up.
    const isLong = Math.max(...torn) >= 900;
    if (!isLong) {
      const whole = { form: revision, problems: [], members: { length: 3 }, tasks: { length: 1 } };
      for (const one of shown) expect(one).toMatchObject(whole);
    }
    await awaited("all that the watch tells", over);
    watch.kill("SIGINT");
    await once(watch, "close");

    const messages = Array.from({ length: count }, (_, n) => `message ${n}`);
    expect([texts("alice"), texts("bob")]).toEqual([messages, messages]);
    const expected = new Set(["team", "message", "task"]);
    if (isLong) expected.add("problem");
    expect(events.filter(({ event }) => !expected.has(event))).toEqual([]);
  },
);
