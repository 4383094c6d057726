import { revisions } from "@troupe/protocol";
import { judgeLaw, storeLaws } from "@troupe/store/testing";
import { migratePostgresStore, openPostgresStore } from "@troupe/store-postgres";
import { describe, test } from "vitest";
import { describeWithServer } from "./suite.ts";

await describeWithServer("PostgreSQL keeps the laws of a store", (server) => {
  const engine = async () => {
    const { url, run } = await server().newPlace();
    await migratePostgresStore({ url });
    return {
      open: () => openPostgresStore({ url }),
      async expireLeases() {
        await run("update inbox set lease_until = '-infinity' where lease_until is not null");
      },
    };
  };
  describe.each(revisions)("in %s", (revision) => {
    test.for(storeLaws.map((law) => [law.name, law] as const))("%s", async ([, law]) =>
      judgeLaw(law, await engine(), revision),
    );
  });
});
