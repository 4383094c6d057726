import { createInterface } from "node:readline";
import type { Store } from "@troupe/store";
import { migratePostgresStore, openPostgresStore } from "@troupe/store-postgres";
import { awaited } from "../../scripts/awaited.ts";
import type { Given } from "./scenario.ts";
import type { Stage } from "./stage.ts";

/** The side of a stage's teams that is on PostgreSQL. */
export interface SharedSide {
  readonly store: Store;
  /** Runs the command line of Troupe on the database; throws with what it complains of. */
  troupe(...args: readonly string[]): Promise<string>;
  /** Ties a team in the files of the stage to the database, until the stage ends. */
  tie(team: string, host: string): Promise<void>;
  close(): Promise<void>;
}

export async function openSharedSide({ database: url }: Given, stage: Stage): Promise<SharedSide> {
  if (url === undefined) throw new Error("there is no server of PostgreSQL");
  await migratePostgresStore({ url });
  const store = await openPostgresStore({ url });
  return {
    store,
    troupe: (...args) => stage.troupe(...args, "--store", url),
    async tie(team, host) {
      const { output, errors, ended } = stage.startTroupe(["bridge", team, "--store", url, "--host", host]);
      let said = "";
      errors.on("data", (piece) => {
        said += piece;
      });
      const begun = new Promise((resolve) => createInterface(output).on("line", resolve));
      await awaited("the bridge to begin", Promise.race([begun, ended.then(() => Promise.reject(new Error(said)))]));
    },
    close: () => store.close(),
  };
}
