import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { startFakeAnthropic } from "@troupe/fake-anthropic";
import { afterAll, describe, expect, test } from "vitest";
import { untilSeen } from "../scripts/awaited.ts";
import { expectSchema, openTroupe, sample } from "./command-line.ts";
import { machineTrials } from "./every-command/machines.ts";
import { mailTrials } from "./every-command/mail.ts";
import { restTrials } from "./every-command/rest.ts";
import { sessionTrials } from "./every-command/sessions.ts";
import { steerTrials } from "./every-command/steer.ts";
import { taskTrials } from "./every-command/tasks.ts";
import { teamTrials } from "./every-command/teams.ts";
import type { Elsewhere, Ground, OptionTrial, Place, Seen, Trial } from "./every-command/trial.ts";
import { killAll, processesOf } from "./processes.ts";

interface Option {
  readonly value?: string;
  readonly short?: string;
  readonly aliases?: readonly string[];
  readonly choices?: readonly string[];
  readonly takesNothing?: true;
}

interface Row {
  readonly name: string;
  readonly args: readonly { readonly name: string; readonly isOptional?: true; readonly isRest?: true }[];
  readonly options: Readonly<Record<string, Option>>;
  readonly isLive?: true;
  readonly isForwarded?: true;
}

const { home, told, troupeBeside } = openTroupe();
/** The table of commands, as the command itself prints it. */
const commands: readonly Row[] = JSON.parse(told("help", "--json")).commands;
const trials: Readonly<Record<string, Trial>> = {
  ...teamTrials,
  ...taskTrials,
  ...mailTrials,
  ...steerTrials,
  ...sessionTrials,
  ...machineTrials,
  ...restTrials,
};

const fake = await startFakeAnthropic({ rule: (request, context) => model(request, context) });
let model: NonNullable<Ground["model"]> = () => "Yes.";
afterAll(async () => {
  await fake.close();
  // Nobody leads those that spawn has started.
  killAll(processesOf(home));
  await untilSeen("the end of all teammates", () => processesOf(home).length === 0);
});

const isElsewhere = (one: object): one is Elsewhere => "elsewhere" in one;
const wordsOf = (name: string) => name.split(" ");
const placeAt = (path: string): Place => ({ home: path, root: join(path, "root"), cwd: join(path, "project") });

/** The sample as its root, in which nothing has happened for long, and a project. */
const template = placeAt(join(home, "template"));
for (const folder of ["project/src", "tmp"]) mkdirSync(join(template.home, folder), { recursive: true });
cpSync(sample, template.root, { recursive: true });
const old = new Date("2026-02-13T16:30:00Z");
for (const name of readdirSync(template.root, { recursive: true, encoding: "utf8" })) {
  const path = join(template.root, name);
  if (name.endsWith("config.json")) {
    const text = readFileSync(path, "utf8").replaceAll(/\b17949\d{8}\b/g, String(old.getTime()));
    writeFileSync(path, text);
  }
  utimesSync(path, old, old);
}

/** A fresh home. */
function stage(prepare?: Ground["prepare"]): Place {
  const place = placeAt(mkdtempSync(join(home, "stage-")));
  cpSync(template.home, place.home, { recursive: true, preserveTimestamps: true });
  prepare?.(place);
  return place;
}

/** Runs a line of a command at a place; the root is said by --root alone. */
async function runAt(place: Place, { name, isForwarded }: Row, words: readonly string[], ground: Ground = {}) {
  const filled = words.map((word) => word.replaceAll(/\{(home|root|cwd)\}/g, (_, key: keyof Place) => place[key]));
  const { input, until, beside } = ground;
  model = ground.model ?? (() => "Yes.");
  const over = new AbortController();
  const going = beside?.(place, over.signal);
  const line = [...wordsOf(name), ...(isForwarded ? [] : ["--root", place.root]), ...filled];
  const ran = await troupeBeside(isForwarded ? [...line, "--root", place.root] : line, {
    cwd: place.cwd,
    ...(input !== undefined && { input }),
    ...(until !== undefined && { until }),
    env: {
      HOME: place.home,
      CLAUDE_CONFIG_DIR: join(place.home, "elsewhere"),
      TMPDIR: join(place.home, "tmp"),
      GIT_CONFIG_NOSYSTEM: "1",
      TMUX: "",
      ANTHROPIC_API_KEY: "of-no-use",
      ANTHROPIC_BASE_URL: fake.url,
      ...ground.env,
    },
  });
  over.abort();
  await going;
  return ran;
}

const textAt = (path: string): string => {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory())
    return readdirSync(path)
      .map((name) => textAt(join(path, name)))
      .join("\n");
  return found?.isFile() ? readFileSync(path, "utf8") : "";
};

const schemaOf = ({ name }: Row) => name.replaceAll(" ", "-");

type Look = (row: Row, ground: Ground, words: readonly string[], status?: number) => Promise<Seen>;

/** Runs a line in words; without a status it may end with any. */
const inWords: Look = async (row, ground, words, status) => {
  const place = stage(ground.prepare);
  const from = fake.requests.length;
  const ran = await runAt(place, row, words, ground);
  if (status !== undefined) expect(ran, words.join(" ")).toMatchObject({ status });
  expectNoTrace(ran.stderr);
  return seen(place, ran, from, undefined);
};

/** Runs a line for a program: what is printed keeps the schema of the command. */
const asJson: Look = async (row, ground, words, status) => {
  const place = stage(ground.prepare);
  const from = fake.requests.length;
  const ran = await runAt(place, row, [...words, "--json"], ground);
  if (status !== undefined) expect(ran, `${words.join(" ")} --json`).toMatchObject({ status });
  const isMany = row.isLive || ran.stdout.startsWith('{"');
  const documents: object[] = (isMany ? ran.stdout.split("\n") : [ran.stdout])
    .filter(Boolean)
    .map((text) => JSON.parse(text));
  for (const one of documents) expectSchema(schemaOf(row), one);
  for (const line of ran.stderr.split("\n").filter(Boolean)) {
    const document = JSON.parse(line);
    expectSchema("error" in document ? "error" : "notice", document);
  }
  return seen(place, ran, from, documents.at(-1));
};

const seen = ({ root, cwd }: Place, ran: Pick<Seen, "stdout" | "stderr">, from: number, document: unknown): Seen => ({
  ...ran,
  document,
  asked: fake.requests
    .slice(from)
    .map(({ body }) => body)
    .join("\n"),
  file: (path) => textAt(join(root, path)) || textAt(join(cwd, path)),
});

const expectNoTrace = (stderr: string) => expect(stderr).not.toMatch(/^ +at |\(a bug in troupe|\(node:\d+\)/m);

/** A line that is refused says in one line what is wrong, with the same exit code for programs. */
async function expectRefused(row: Row, ground: Ground, words: readonly string[], status: number, says: string) {
  await expectRefusedAt(stage(ground.prepare), row, ground, words, status, says);
}

async function expectRefusedAt(
  place: Place,
  row: Row,
  ground: Ground,
  words: readonly string[],
  status: number,
  says: string,
  forPrograms = true,
) {
  const { stdout, stderr, status: end } = await runAt(place, row, words, ground);
  const line = [row.name, ...words].join(" ");
  expect({ end, stdout, stderr }, line).toEqual({ end: status, stdout: "", stderr: expect.stringContaining(says) });
  expect(stderr, line).toMatch(/^troupe: [^\n]+\n$/);
  expectNoTrace(stderr);
  if (!forPrograms) return;
  const again = await runAt(place, row, [...words, "--json"], ground);
  expect(again.status, `${line} --json`).toBe(status);
  // What is refused for a reason that a program can read is an answer.
  if (again.stderr === "") return expectSchema(schemaOf(row), JSON.parse(again.stdout));
  const document = JSON.parse(again.stderr);
  expectSchema("error", document);
  expect([again.stdout, document.error.exit], `${line} --json`).toEqual(["", status]);
}

/** A line that is refused before anything is looked at. */
const expectMisread = (row: Row, words: readonly string[], says: string, forPrograms = false) =>
  expectRefusedAt(template, row, {}, words, 2, says, forPrograms);

test("every command of the table is tried, and every option of it; nothing is tried that is not there", () => {
  expect(Object.keys(trials).sort()).toEqual(commands.map(({ name }) => name).sort());
  for (const { name, options } of commands) {
    expect(Object.keys(trials[name]?.options ?? {}).sort(), name).toEqual(Object.keys(options).sort());
    for (const [option, { value, choices }] of Object.entries(options)) {
      const tried = trials[name]?.options[option];
      if (!tried || isElsewhere(tried)) continue;
      const isFree = choices !== undefined || value === undefined || ["TEXT", "MODEL", "DIR", "AGENT"].includes(value);
      expect(isFree || (tried.wrong ?? []).length > 0, `a wrong value of ${name} --${option}`).toBe(true);
    }
  }
});

test("what is tried elsewhere stands in the file that is named", () => {
  const named = Object.values(trials).flatMap(({ options, more }) => [
    ...Object.values(options).filter(isElsewhere),
    ...(more ? [more] : []),
  ]);
  for (const { elsewhere, runs } of named) {
    const text = readFileSync(join(import.meta.dirname, elsewhere), "utf8");
    for (const words of runs) expect(text, elsewhere).toContain(words);
  }
});

describe.each(commands.filter(({ name }) => trials[name]).map((row) => [row.name, row] as const))("%s", (name, row) => {
  const trial = trials[name] as Trial;
  const { words = [], wrong, options, isDear, more, status = 0 } = trial;
  const tried = Object.entries(options).filter((one): one is [string, OptionTrial] => !isElsewhere(one[1]));
  /** Each line is run once in each form. */
  const runs = new Map<string, Promise<Seen>>();
  const once = (look: Look, words: readonly string[]) => {
    const key = JSON.stringify([look === asJson, words]);
    const run = runs.get(key) ?? look(row, trial, words, status);
    runs.set(key, run);
    return run;
  };
  const own = tried.filter(([, one]) => one.words === undefined);
  const together = [...words, ...own.flatMap(([, { given }]) => given)];

  if (!more)
    test("does what it is for, in words and as its schema says", async () => {
      const { stdout, stderr } = await once(inWords, words);
      expect(`${stdout}${stderr}`).not.toBe("");
      if (!trial.hasOwnForm) await once(asJson, words);
    });

  test("refuses lines that are wrong, in one line and with the same exit code for programs", async () => {
    for (const one of wrong) await expectRefused(row, trial, ...one);
    if (row.isForwarded) return;
    const { args } = row;
    const surplus = [...args.map(() => "x"), "x"];
    if (!args.at(-1)?.isRest) await expectMisread(row, surplus, "is one argument too many");
    await expectMisread(row, [...words, "--frobnicate"], `${name} has no option --frobnicate`, true);
  });

  test.each(tried)("--%s changes what it does, and is refused where it is wrong", async (option, one) => {
    const { value, choices, short, takesNothing, aliases = [] } = row.options[option] as Option;
    const ground = { ...trial, ...one };
    const line = ground.words ?? [];
    const isBase = one.words === undefined && one.prepare === undefined && !one.input && !one.model && !one.env;
    const [look, does] = "says" in one ? [inWords, one.says] : [asJson, one.shows];
    const end = one.status ?? status;
    const without = await (isBase ? !more && once(look, words) : look(row, ground, line));
    const withIt = await (isDear && isBase ? once(look, together) : look(row, ground, [...line, ...one.given], end));
    expect([without && holds(does, without), holds(does, withIt)], one.given.join(" ")).toEqual([false, true]);
    if (look === inWords && !ground.hasOwnForm && !isDear) await asJson(row, ground, [...line, ...one.given], end);
    for (const other of [...(short ? [`-${short}`] : []), ...aliases.map((alias) => `--${alias}`)]) {
      const words = one.given.map((word) => (word === `--${option}` ? other : word));
      const again = await runAt(stage(ground.prepare), row, [...line, ...words], ground);
      expect([again.status, again.stdout.length > 0], other).toEqual([end, withIt.stdout.length > 0]);
    }
    for (const refused of one.wrong ?? []) await expectRefused(row, ground, ...refused);
    const flag = `--${option}`;
    if (value === undefined) return expectMisread(row, [...line, `${flag}=x`], `${flag} takes no value`);
    if (!takesNothing) await expectMisread(row, [...line, flag], `${flag} needs a value`);
    if (value !== "TEXT" && !takesNothing) await expectMisread(row, [...line, `${flag}=`], `${flag} needs a value`);
    if (choices) await expectMisread(row, [...line, `${flag}=moon`], `${flag} takes ${choices.join(" or ")}`);
  });
});

/** What has not come to be may be looked at in vain. */
const holds = (does: (seen: Seen) => unknown, seen: Seen): boolean => {
  try {
    return Boolean(does(seen));
  } catch {
    return false;
  }
};
