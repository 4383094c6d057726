import { mkdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { openOrphans } from "@troupe/backends";
import { type HostEvent, openCheckouts, repositoryGiven, repositoryLabel, serveHost } from "@troupe/backends/host";
import { TroupeError } from "@troupe/protocol";
import { type Answer, type Call, exits } from "../command.ts";
import { assertKey, setVariables } from "../session/environment.ts";
import { graceMs } from "../steer/teammate.ts";
import { databaseOf } from "../store/database.ts";
import { launchOn } from "./launch.ts";

interface HostOptions {
  readonly repo?: readonly string[];
  readonly backend?: "process" | "tmux";
  readonly model?: readonly string[];
  readonly slots?: string;
  readonly dir?: string;
  readonly lease?: string;
}

/** Serves leads on other machines until it is stopped. */
export async function run(call: Call<object, HostOptions>): Promise<Answer | undefined> {
  const { options, home, cwd, environment, signal, note } = call;
  const { url } = databaseOf(call);
  const { repo = [], backend = "process", model = [] } = options;
  const slots = numberIn("slots", options.slots ?? "4");
  const leaseMs = 1_000 * numberIn("lease", options.lease ?? "20");
  assertKey(environment);
  const { openHostDesk } = await import("@troupe/store-postgres");
  const desk = await openHostDesk({ url });
  // Two hosts of one machine are two roles, and clear away nothing of each other.
  const directory = join(options.dir === undefined ? join(home, "troupe-host") : resolve(cwd, options.dir), desk.role);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const records = join(directory, "backends");
  const repositories = new Map(repo.map(repositoryGiven));
  const labels = [
    `backend:${backend}`,
    ...model.map((one) => `model:${one}`),
    ...[...repositories.keys()].map(repositoryLabel),
  ];
  try {
    await endLeft({ records, environment, note });
    // Nobody reads what those were told.
    rmSync(join(directory, "briefs"), { recursive: true, force: true });
    await serveHost(
      {
        desk,
        offer: { slots, labels, leaseMs },
        checkouts: openCheckouts({ directory, repositories, environment: setVariables(call), warn: note }),
        launching: launchOn(call, { kind: backend, directory, records, urlOf: desk.urlOf }),
        graceMs,
        tell: (event) => void call.tell(shown(call, desk.role, event)),
      },
      signal,
    );
  } finally {
    await desk.close();
  }
  return undefined;
}

/** What a process of this host that was killed left running. */
async function endLeft({
  records,
  environment,
  note,
}: { readonly records: string } & Pick<Call, "environment" | "note">) {
  const left = openOrphans({ records, environment });
  const { orphans, problems } = await left.find();
  for (const problem of problems) note(problem);
  for (const orphan of orphans) await left.end(orphan);
}

function shown(call: Pick<Call, "now">, host: string, { event, ...about }: HostEvent): Answer {
  const { team, member, epoch, detail } = about;
  const who = member === undefined ? host : `${member} of ${team}${epoch === undefined ? "" : ` (epoch ${epoch})`}`;
  // What a program has said last stands below it.
  const [head, ...rest] = detail?.split("\n") ?? [];
  return {
    document: { at: call.now().toISOString(), event, host, ...about },
    text: [`${who} ${words[event]}${head === undefined ? "" : `: ${head}`}`, ...rest.map((line) => `  ${line}`)],
    exit: exits.done,
  };
}

const words: Readonly<Record<HostEvent["event"], string>> = {
  entered: "takes what leads ask for",
  started: "is at work",
  pushed: "has committed, which was pushed",
  ended: "has ended",
  given_back: "was given back, for any host to take",
  left_alone: "could not be cleared away",
  late: "was not heard of for too long",
  unreachable: "does not reach the database, and tries again",
};

function numberIn(option: string, text: string): number {
  const number = Number(text);
  if (/^\d{1,4}(\.\d{1,3})?$/.test(text) && number > 0 && (option === "lease" || Number.isInteger(number)))
    return number;
  throw new TroupeError("arguments_invalid", `--${option} needs a number above 0, not ${JSON.stringify(text)}`);
}
