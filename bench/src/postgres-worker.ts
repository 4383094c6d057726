import { setTimeout as sleep } from "node:timers/promises";
import { openPostgresStore } from "@troupe/store-postgres";
import { Client } from "pg";

const [kind, url = "", name = "", begin = "0"] = process.argv.slice(2);
const ids: string[] = [];
const bare = new Client({ connectionString: url });
await bare.connect();
const store = await openPostgresStore({ url });
const self = await (await store.openTeam("claims"))?.as(name);

const take = {
  ours: async () => (await self?.tasks.claimNext(name))?.id,
  bare: async () => {
    const { rows } = await bare.query(
      `update bare_task set owner = $1 where id =
         (select id from bare_task where owner is null order by id limit 1 for update skip locked) returning id`,
      [name],
    );
    return rows[0]?.id as string | undefined;
  },
}[kind === "ours" ? "ours" : "bare"];

await sleep(Math.max(0, Number(begin) - Date.now()));
const from = Date.now();
for (let id = await take(); id !== undefined; id = await take()) ids.push(id);
const until = Date.now();
await store.close();
await bare.end();
console.log(JSON.stringify({ ids, from, until }));
