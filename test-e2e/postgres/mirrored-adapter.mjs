// Troupe on PostgreSQL as a target of the conformance suite, which writes and reads files: what it
// has written goes into the database before each call, and all that stands there out after it.
// node mirrored-adapter.mjs <socket directory of the server> <main.js of troupe>
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { readArchive, writeArchive } from "@troupe/store/files";
import { exportPostgresStore, importPostgresStore, migratePostgresStore } from "@troupe/store-postgres";
import pg from "pg";

const [host = "", main = ""] = process.argv.slice(2);
const urlOf = (schema) =>
  `postgres://troupe@localhost/postgres?host=${encodeURIComponent(host)}&options=${encodeURIComponent(`-c search_path=${schema}`)}`;

/** The documents below a root, as one text. */
function documentsIn(root) {
  const hash = createHash("sha256");
  const names = ["teams", "tasks"].flatMap((folder) =>
    existsSync(join(root, folder))
      ? readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((name) => join(folder, name))
      : [],
  );
  for (const name of names.filter((one) => /\.json$|\.highwatermark$/.test(one)).sort())
    if (statSync(join(root, name)).isFile()) hash.update(`${name}\0${readFileSync(join(root, name), "latin1")}\0`);
  return hash.digest("hex");
}

async function openMirror(root) {
  const schema = `m_${createHash("sha256").update(root).digest("hex").slice(0, 20)}`;
  const url = urlOf(schema);
  const client = new pg.Client({ connectionString: urlOf("public") });
  await client.connect();
  await client.query("select pg_advisory_lock(20)");
  await client.query(`create schema if not exists ${schema}`);
  await migratePostgresStore({ url });
  await client.query(`create table if not exists ${schema}.mirror (documents text)`);
  await client.query("select pg_advisory_unlock(20)");

  async function alone(work) {
    await client.query("select pg_advisory_lock(hashtext($1))", [schema]);
    try {
      return await work();
    } finally {
      await client.query("select pg_advisory_unlock(hashtext($1))", [schema]);
    }
  }
  const keep = async () => {
    await client.query(`delete from ${schema}.mirror`);
    await client.query(`insert into ${schema}.mirror values ($1)`, [documentsIn(root)]);
  };

  return {
    url,
    /** What another program has written since. */
    take: () =>
      alone(async () => {
        const { rows } = await client.query(`select documents from ${schema}.mirror`);
        if (rows[0]?.documents === documentsIn(root)) return;
        const tables =
          "team, task_list, task, task_edge, inbox, message, history, event, kept_result, plan, host_grant";
        await client.query(`truncate ${tables.split(", ").map((one) => `${schema}.${one}`)} cascade`);
        await importPostgresStore({ url }, (await readArchive(root)).archive);
        await keep();
      }),
    give: () =>
      alone(async () => {
        const archive = await exportPostgresStore({ url });
        const fresh = mkdtempSync(join(tmpdir(), "mirror-"));
        writeArchive(fresh, archive);
        sync(fresh, root);
        rmSync(fresh, { recursive: true });
        await keep();
      }),
    end: () => client.end(),
  };
}

/** Makes the documents below one root as those below another are. */
function sync(from, to) {
  for (const folder of ["teams", "tasks"]) {
    mkdirSync(join(to, folder), { recursive: true, mode: 0o700 });
    for (const name of readdirSync(join(to, folder))) {
      if (!existsSync(join(from, folder, name))) rmSync(join(to, folder, name), { recursive: true, force: true });
    }
    const names = (root) =>
      existsSync(join(root, folder)) ? readdirSync(join(root, folder), { recursive: true }) : [];
    for (const name of names(to).filter((one) => /\.json$/.test(one)))
      if (!existsSync(join(from, folder, name))) rmSync(join(to, folder, name), { force: true });
    for (const name of names(from)) {
      const [source, target] = [join(from, folder, name), join(to, folder, name)];
      if (statSync(source).isDirectory()) mkdirSync(target, { recursive: true, mode: 0o700 });
      else if (!existsSync(target) || !readFileSync(source).equals(readFileSync(target))) {
        mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
        cpSync(source, `${target}.tmp`);
        renameSync(`${target}.tmp`, target);
      }
    }
  }
}

function openChild(url, root) {
  const args = [main, "conformance", "adapter", "--root", root, "--store", url];
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async ask(line) {
      child.stdin.write(`${line}\n`);
      return (await lines.next()).value;
    },
    end: () => child.stdin.end(),
  };
}

let root = process.env.AGENT_TEAMS_HOME ?? "";
let mirror = await openMirror(root);
let child = openChild(mirror.url, root);
for await (const line of createInterface({ input: process.stdin })) {
  const { method, params } = JSON.parse(line);
  if (method === "reset") {
    child.end();
    await mirror.end();
    root = params.root;
    mirror = await openMirror(root);
    child = openChild(mirror.url, root);
  }
  const isCall = method.includes(".");
  if (isCall) await mirror.take();
  const answer = await child.ask(line);
  if (isCall) await mirror.give();
  process.stdout.write(`${answer}\n`);
  if (method === "bye") break;
}
child.end();
await mirror.end();
process.stdin.destroy();
