import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type Rule, startFakeAnthropic } from "@troupe/fake-anthropic";
import { expect, onTestFinished } from "vitest";
import { untilSeen } from "../../scripts/awaited.ts";
import { memory } from "../../scripts/memory.ts";
import { ended, expectSchema, main } from "../command-line.ts";
import type { Place } from "../postgres/server.ts";
import { killAll, processesOf } from "../processes.ts";
import { type Machine, openMachines, relayed, serveRepositories } from "./machines.ts";

/** What a host has told. */
interface Told {
  readonly event: string;
  readonly member?: string;
  readonly epoch?: string;
  readonly detail?: string;
}

export interface Host {
  readonly role: string;
  readonly told: readonly Told[];
  /** Waits until it has told this of a member. */
  until(event: string, member?: string, count?: number): Promise<Told>;
  /** Sends a signal to all that runs on its machine, or to all but the host itself. */
  signal(name: NodeJS.Signals, whom?: "all" | "teammates"): void;
  readonly exited: Promise<number | null>;
  /** Paths of what runs there. */
  readonly home: string;
}

/** Who commits, where the tests do. */
const author = {
  GIT_AUTHOR_NAME: "t",
  GIT_AUTHOR_EMAIL: "t@t",
  GIT_COMMITTER_NAME: "t",
  GIT_COMMITTER_EMAIL: "t@t",
  GIT_CONFIG_GLOBAL: "/dev/null",
};

/** A database, a repository and a model that several machines reach, and a project of a lead. */
export async function openStage(place: Place, rule: Rule, count: number) {
  const { how, all } = openMachines(count);
  const fake = await startFakeAnthropic({ rule });
  onTestFinished(() => fake.close());
  const directory = mkdtempSync(join(memory, "hosts-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  mkdirSync(join(directory, "remote"));
  const socket = join(new URL(place.url).searchParams.get("host") ?? "", ".s.PGSQL.5432");
  const ports = {
    database: await relayed({ path: socket }),
    model: await relayed({ host: "127.0.0.1", port: Number(new URL(fake.url).port) }),
    code: await serveRepositories(join(directory, "remote")),
  };
  const git = (cwd: string, ...args: readonly string[]) =>
    execFileSync("git", args, { cwd, env: { ...process.env, ...author }, encoding: "utf8", stdio: "pipe" }).trim();
  git(directory, "init", "--quiet", "--bare", "--initial-branch=main", "remote/parser.git");
  const project = join(directory, "project");
  git(directory, "init", "--quiet", "--initial-branch=main", "project");
  writeFileSync(join(project, "README.md"), "a parser\n");
  git(project, "add", "README.md");
  git(project, "commit", "--quiet", "--message", "begin");
  const remote = (address: string) => `git://${address}:${ports.code}/parser.git`;
  git(project, "remote", "add", "origin", remote("127.0.0.1"));
  git(project, "push", "--quiet", "origin", "main");

  const homeOf = (name: string) => {
    const home = join(directory, name);
    mkdirSync(join(home, ".claude"), { recursive: true });
    return home;
  };
  const environmentAt = (home: string, address: string, store: string) => ({
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    TMPDIR: home,
    TMUX_TMPDIR: home,
    TROUPE_STORE: store,
    ANTHROPIC_API_KEY: "of-no-use",
    ANTHROPIC_BASE_URL: `http://${address}:${ports.model}`,
    ...author,
  });
  const lead = environmentAt(homeOf("lead"), "127.0.0.1", place.url);
  onTestFinished(() => {
    for (const pid of processesOf(directory)) {
      try {
        process.kill(Number(pid), "SIGKILL");
      } catch {
        // It has ended meanwhile.
      }
    }
  });

  /** The command where the lead is. */
  function begin(args: readonly string[], more: Readonly<Record<string, string>> = {}) {
    const words = [main, ...args, "--root", join(lead.HOME, ".claude")];
    return spawn(process.execPath, words, { cwd: project, env: { ...lead, ...more } });
  }

  function ran(args: readonly string[]) {
    // What a teammate on a host needs no key here for.
    const child = begin(args, { ANTHROPIC_API_KEY: "" });
    child.stdin.end();
    return ended(child);
  }

  /** The output with `--json`, which satisfies the schema of that name. */
  async function json(schema: string, ...args: readonly string[]) {
    const { status, stdout, stderr } = await ran([...args, "--json"]);
    expect(status, `${args.join(" ")}: ${stderr}`).toBe(0);
    const document = JSON.parse(stdout);
    expectSchema(schema, document);
    return document;
  }

  /** A host on a machine of its own, which takes what is asked for when this resolves. */
  async function host(at: number, ...options: readonly string[]): Promise<Host> {
    const { prefix, address } = all[at] as Machine;
    const { role, url } = await place.newRole();
    await json("host-add", "host", "add", role, "--label", `machine-${at}`);
    const home = homeOf(`host-${at}`);
    const store = new URL(url);
    store.hostname = address;
    store.port = `${ports.database}`;
    store.searchParams.delete("host");
    const args = [
      "host",
      "--json",
      "--repo",
      `127.0.0.1/parser=${remote(address)}`,
      "--root",
      join(home, ".claude"),
      ...options,
    ];
    const [file = "", ...words] = [...prefix, process.execPath, main, ...args];
    const child = spawn(file, words, { cwd: home, env: environmentAt(home, address, store.href) });
    const exited = new Promise<number | null>((resolve) => child.on("exit", resolve));
    const told: Told[] = [];
    const errors: string[] = [];
    child.stderr.setEncoding("utf8").on("data", (text) => errors.push(text));
    createInterface({ input: child.stdout }).on("line", (line) => {
      const document = JSON.parse(line);
      expectSchema("host", document);
      told.push(document);
    });
    const until: Host["until"] = (event, member, times = 1) =>
      untilSeen(`${event} ${member ?? ""} of the host ${role} (${errors.join("")}${JSON.stringify(told)})`, () => {
        const found = told.filter((one) => one.event === event && one.member === member);
        return found[times - 1];
      });
    await until("entered");
    return {
      role,
      told,
      until,
      exited,
      home,
      signal(name, whom = "all") {
        // A program that is started on a network of its own takes the place of what starts it.
        killAll(
          processesOf(home).filter((pid) => whom === "all" || pid !== `${child.pid}`),
          name,
        );
      },
    };
  }

  return { how, fake, directory, project, git, begin, ran, json, host };
}
