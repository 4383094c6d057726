import { revisions } from "@troupe/protocol";
import type { Store, Team } from "@troupe/store";
import { type Engine, judgeLaw, storeLaws } from "@troupe/store/testing";
import { grantHost, migratePostgresStore, openPostgresStore } from "@troupe/store-postgres";
import { describe, expect, test } from "vitest";
import type { Server } from "./server.ts";
import { describeWithServer } from "./suite.ts";

/** Laws whose second handle does what is the lead's alone, and how they fail. */
const ofLeads: ReadonlyMap<string, RegExp> = new Map([
  ["of several that create a team of one name, one creates it", /store_refused/],
  ["all who join at once are in the team, the first eight in colours of their own", /or add one/],
  ["of changes of different members at once none is lost", /or add one/],
  [
    "a team ends once its teammates are gone or that is overridden, and its handles bring nothing back",
    /denied for table/,
  ],
  ["an observer sees members, mail and tasks, and an unchanged part as the very same object", /session-1/],
  ["plans are kept by name", /undefined/],
  [
    "of several messages that are sent under one key, also by several processes, the first is sent, and all get it",
    /send as team-lead/,
  ],
  ["a task that is created again with its key is created once, and its owner told once", /kept_result/],
  ["a task that is created again with its key is as it is now, and stays away once it was removed", /kept_result/],
  ["the list of a session knows its keys too", /denied for table/],
  [
    "a member that joins again with its key is the one that joined, and another key is refused the name",
    /called carol|or add one|row-level security/,
  ],
  ["a team that is created again with its key is the same, and is gone once it was ended", /denied for table/],
  ["a team that is created again under the same name begins with an empty history", /denied for table/],
  ["a watch misses no change of members, mail and tasks, and ends when it is told to", /or add one/],
]);

/** A law with joins by both, whose outcome depends on who is first. */
const raced = "of several that join under one name in any spelling, one is in the team";

type Grant = (team: string, member: string) => Promise<void>;

const granting = (team: Team, grant: Grant): Team => ({
  ...team,
  async join(draft, options) {
    const member = await team.join(draft, options);
    await grant(team.name, member.name);
    return member;
  },
});

/** The first handle is of the tables' owner, and the second of a host that has all teammates. */
async function engineOf(server: Server): Promise<Engine> {
  const place = await server.newPlace();
  await migratePostgresStore(place);
  const { role, url } = await place.newRole();
  const grant: Grant = (team, member) => grantHost({ url: place.url, role, team, members: [member] });
  const owner = await openPostgresStore(place);
  const yard = await owner.createTeam({ name: "yard", createdAt: 1, leadSessionId: "yard", leadModel: "m", cwd: "/" });
  await granting(yard, grant).join({ name: "eve", agentType: "a", model: "m", prompt: "go", joinedAt: 1, cwd: "/" });
  await owner.deleteTeam("yard", { evenIfActive: true });
  let isFirst = true;
  return {
    async open(): Promise<Store> {
      if (!isFirst) return openPostgresStore({ url });
      isFirst = false;
      return {
        ...owner,
        createTeam: async (draft, options) => granting(await owner.createTeam(draft, options), grant),
      };
    },
    async expireLeases() {
      await place.run("update inbox set lease_until = '-infinity' where lease_until is not null");
    },
  };
}

await describeWithServer("PostgreSQL keeps the laws of a store for the role of a host", (server) => {
  describe.each(revisions)("in %s", (revision) => {
    const kept = storeLaws.filter(({ name }) => !ofLeads.has(name) && name !== raced);
    test.for(kept.map((law) => [law.name, law] as const))("%s", async ([, law]) =>
      judgeLaw(law, await engineOf(server()), revision),
    );
  });

  test.for([...ofLeads])("what only the lead may do is refused: %s", async ([name, said]) => {
    const [law] = storeLaws.filter((one) => one.name === name);
    if (!law) throw new Error(`there is no law "${name}": mend this table`);
    await expect(judgeLaw(law, await engineOf(server()), "2026-11")).rejects.toThrow(said);
  });
});
