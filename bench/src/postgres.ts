import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { grantHost, openPostgresStore } from "@troupe/store-postgres";
import { Client } from "pg";
import { atMost, mediansOf, type Result, roundsOf } from "./measure.ts";
import { type Served, serve, teamOf } from "./postgres-server.ts";
import { thousandOf } from "./postgres-thousand.ts";

const run = promisify(execFile);
const worker = fileURLToPath(new URL("postgres-worker.js", import.meta.url));
const content = { text: "x".repeat(1024), summary: "s" };

/**
 * A team on a server of PostgreSQL, against bare statements on the same: sends, claims, wakes, and
 * what an inbox of a hundred thousand messages costs. The disk is real, and so is `fsync`.
 */
export async function postgres(): Promise<Record<string, Result>> {
  const server = await serve();
  if (!server) return {};
  try {
    return {
      ...(await appending(server)),
      ...(await full(server)),
      ...(await wakes(server)),
      ...(await claims(server)),
      ...(await thousandOf(server, 20)),
    };
  } finally {
    await server.stop();
  }
}

async function appending({ url, urlOf, bare }: Served): Promise<Record<string, Result>> {
  await bare.query("create table bare (id bigint generated always as identity primary key, doc json not null)");
  await bare.query("create role host login");
  const { store, team } = await teamOf(url, "append", ["alice", "bob"]);
  await grantHost({ url, role: "host", team: "append", members: ["bob"] });
  const remote = await openPostgresStore({ url: urlOf("host") });
  try {
    const [lead, bob] = [await team.as("team-lead"), await (await remote.openTeam("append"))?.as("bob")];
    const doc = JSON.stringify({ from: "bob", ...content, timestamp: new Date().toISOString(), read: false });
    const rounds = await manyRounds(async () => {
      const costs = await mediansOf(
        {
          bare: () => bare.query("insert into bare (doc) values ($1)", [doc]),
          owner: () => lead.send("alice", content),
          host: () => bob?.send("alice", content),
        },
        200,
      );
      return [costs.owner / costs.bare, costs.host / costs.bare];
    });
    return {
      "postgres.append": atMost(
        1.5,
        rounds.map(([owner = 0]) => owner),
      ),
      "postgres.append-host": atMost(
        1.5,
        rounds.map(([, host = 0]) => host),
      ),
    };
  } finally {
    await Promise.all([store.close(), remote.close()]);
  }
}

/** Rounds of a measurement that gives several figures at once. */
async function manyRounds(round: () => Promise<readonly number[]>): Promise<(readonly number[])[]> {
  const all: (readonly number[])[] = [];
  await roundsOf(async () => {
    all.push(await round());
    return 0;
  });
  return all.slice(1);
}

/** An inbox in which a hundred thousand messages were read, against one that is empty. */
async function full({ url, bare }: Served): Promise<Record<string, Result>> {
  const { store, team } = await teamOf(url, "full", ["old", "new"]);
  try {
    const lead = await team.as("team-lead");
    const first = await lead.send("old", content);
    await bare.query(
      `insert into message (team, name, seq, doc, content_key, state)
       select team, name, n, doc, content_key, case when n % 2 = 0 then 'read' else 'gone' end
       from message, generate_series(2, 100000) as n where name = 'old' and seq = $1`,
      [first.key],
    );
    await bare.query("update inbox set next_seq = 100001 where name = 'old'");
    await bare.query("analyze message");
    const boxes = await Promise.all(
      ["old", "new"].map(async (name) => ({ name, lease: await (await team.as(name)).receive() })),
    );
    const looks = boxes.map(({ name, lease }) => async () => {
      const [message] = await lease.take();
      if (message) await lease.acknowledge(new Set([message.key]));
      await lead.send(name, content);
    });
    const rounds = await manyRounds(async () => {
      const sends = await mediansOf(
        { old: () => lead.send("old", content), new: () => lead.send("new", content) },
        100,
      );
      const pages = await mediansOf(
        { old: () => team.mail("old").page({ limit: 20 }), new: () => team.mail("new").page({ limit: 20 }) },
        100,
      );
      for (const { lease } of boxes) await lease.acknowledge(new Set((await lease.take()).map(({ key }) => key)));
      const taken = await mediansOf({ old: looks[0] ?? (() => {}), new: looks[1] ?? (() => {}) }, 100);
      return [sends.old / sends.new, taken.old / taken.new, pages.old / pages.new];
    });
    for (const { lease } of boxes) await lease.release();
    return {
      "postgres.full-send": atMost(
        1.2,
        rounds.map(([sent = 0]) => sent),
      ),
      "postgres.full-take": atMost(
        1.2,
        rounds.map(([, taken = 0]) => taken),
      ),
      "postgres.full-look": atMost(
        1.2,
        rounds.map(([, , looked = 0]) => looked),
      ),
    };
  } finally {
    await store.close();
  }
}

/**
 * From the commit of a send until its receiver holds the message, against a bare notification; and
 * from its beginning, to which a commit belongs that no notification has.
 */
async function wakes({ url, bare }: Served): Promise<Record<string, Result>> {
  const { store, team } = await teamOf(url, "wake", ["alice"]);
  const remote = await openPostgresStore({ url });
  const listener = new Client({ connectionString: url });
  await listener.connect();
  await listener.query("listen bare");
  try {
    const lead = await team.as("team-lead");
    const mail = await (await (await remote.openTeam("wake"))?.as("alice"))?.receive();
    if (!mail) throw new Error("the team of the measurement is gone");
    const rounds = await manyRounds(async () => {
      const [bareMs, committedMs, wholeMs]: [number[], number[], number[]] = [[], [], []];
      for (let times = 0; times < 60; times += 1) {
        const told = new Promise((resolve) => listener.once("notification", resolve));
        let start = performance.now();
        await bare.query("select pg_notify('bare', 'wake')");
        await told;
        bareMs.push(performance.now() - start);
        const held = mail.wait();
        // It waits when its first look has come back empty.
        await bare.query("select pg_sleep(0.02)");
        start = performance.now();
        const sent = lead.send("alice", { text: "wake" }).then(() => performance.now());
        const messages = await held;
        const end = performance.now();
        wholeMs.push(end - start);
        committedMs.push(end - (await sent));
        await mail.acknowledge(new Set(messages.map(({ key }) => key)));
      }
      return [median(committedMs) / median(bareMs), median(wholeMs) / median(bareMs)];
    });
    await mail.release();
    return {
      "postgres.wake": atMost(
        3,
        rounds.map(([committed = 0]) => committed),
      ),
      "postgres.wake-send": atMost(
        3,
        rounds.map(([, whole = 0]) => whole),
      ),
    };
  } finally {
    await Promise.all([listener.end(), store.close(), remote.close()]);
  }
}

const median = (costs: number[]): number => costs.sort((a, b) => a - b)[Math.floor(costs.length / 2)] ?? Number.NaN;

/** Eight processes that take what is free until nothing is, against one statement for each. */
async function claims({ url, bare }: Served): Promise<Record<string, Result>> {
  const count = 1_600;
  const names = Array.from({ length: 8 }, (_, n) => `c${n}`);
  const { store, team } = await teamOf(url, "claims", names);
  await bare.query("create table bare_task (id bigint primary key, doc json not null, owner text)");
  await bare.query("create index on bare_task (id) where owner is null");
  // As the store has a free task, to be repeated under other ids.
  await bare.query("update task_list set next_task = 7007007 where name = 'claims'");
  await team.tasks.create({ subject: "Read the parser", description: "All of it" });
  await bare.query("create table template as select * from task");
  const doubles: number[] = [];
  const perSecond = async (kind: "ours" | "bare") => {
    if (kind === "bare") {
      await bare.query("truncate bare_task");
      await bare.query(
        "insert into bare_task (id, doc) select n, replace(doc::text, id::text, n::text)::json from template, generate_series(1, $1::int) as n",
        [count],
      );
    } else {
      await bare.query("delete from task");
      await bare.query(
        `insert into task (list, id, doc, as_taken, is_ready, changed_at, changed)
         select list, n, replace(doc::text, id::text, n::text)::json, replace(as_taken::text, id::text, n::text)::text[],
           is_ready, now(), pg_current_xact_id()
         from template, generate_series(1, $1::int) as n`,
        [count],
      );
    }
    await bare.query("analyze task, bare_task");
    const begin = Date.now() + 1_500;
    const ends = await Promise.all(
      names.map(async (name) => {
        const { stdout } = await run(process.execPath, [worker, kind, url, name, `${begin}`]);
        return JSON.parse(stdout) as { ids: string[]; from: number; until: number };
      }),
    );
    const ids = ends.flatMap((end) => end.ids);
    if (ids.length !== count) throw new Error(`${ids.length} of ${count} tasks were taken`);
    doubles.push(ids.length - new Set(ids).size);
    return count / ((Math.max(...ends.map(({ until }) => until)) - Math.min(...ends.map(({ from }) => from))) / 1_000);
  };
  try {
    const rounds = await roundsOf(async () => (await perSecond("bare")) / (await perSecond("ours")), 3);
    return { "postgres.claim": atMost(2, rounds), "postgres.claim-doubles": atMost(0, [Math.max(...doubles)]) };
  } finally {
    await store.close();
  }
}
