import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CheckContext } from "../check.ts";
import type { Fields } from "../concurrency/documents.ts";
import { openModelEndpoint } from "./model-endpoint.ts";
import { type Post, watchPost } from "./post.ts";
import { openPuppets, type Puppet } from "./puppets.ts";
import type { Begin, RunningSession, SessionRole } from "./sessions.ts";
import { openWaiting, type Waiting } from "./waiting.ts";

/**
 * A project, a model that the suite plays, and the sessions of the target that are started there.
 */
export interface Stage extends Waiting {
  /** The project, with one file. */
  readonly cwd: string;
  readonly post: Post;
  puppet(name: string): Puppet;
  /** The entry of the config when the model of this member was asked first. */
  memberAtFirst(name: string): Fields | undefined;
  start(
    role: SessionRole,
    params: Readonly<Record<string, unknown>>,
    env?: Readonly<Record<string, string>>,
    begin?: Begin,
  ): RunningSession;
  close(): Promise<void>;
}

/**
 * What a session may take for one step on a quiet machine, which may be to wait for a lock in vain,
 * and for what it must not do.
 */
const [stepMs, quietMs, mostQuietMs] = [20_000, 400, 2_500];

export async function openStage(context: CheckContext): Promise<Stage> {
  const cwd = join(context.scratch, "project");
  mkdirSync(cwd);
  writeFileSync(join(cwd, "notes.txt"), "Read the grammar.\n");
  const post = watchPost(context.root);
  const sessions: RunningSession[] = [];
  const atFirst = new Map<string, Fields | undefined>();
  const puppets = openPuppets(
    () => waiting,
    (name) => atFirst.set(name, post.member(name)),
  );
  const endpoint = await openModelEndpoint(puppets.answer);
  const waiting = openWaiting({
    limitMs: context.scaled(stepMs),
    quietMs: Math.min(context.scaled(quietMs), mostQuietMs),
    fate: () => {
      const ends = sessions.map((one) => one.ended());
      return sessions.length > 0 && ends.every((how) => how !== undefined) ? ends.join(", ") : undefined;
    },
    evidence: () => ({ output: sessions.map((one) => one.output()).join("\n") }),
  });
  return {
    ...waiting,
    cwd,
    post,
    puppet: puppets.puppet,
    memberAtFirst: (name) => atFirst.get(name),
    start(role, params, env, begin) {
      const place = { cwd, url: endpoint.url, params, ...(env && { env }), ...(begin && { begin }) };
      const started = context.startSession(role, place);
      sessions.push(started);
      return started;
    },
    async close() {
      await Promise.all(sessions.map((one) => one.kill()));
      await endpoint.close();
      post.close();
    },
  };
}
