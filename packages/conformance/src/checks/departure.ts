import { once } from "node:events";
import { mkdirSync, watch } from "node:fs";
import { join } from "node:path";
import type { Check } from "../check.ts";
import { checkFailure } from "../fault.ts";
import { isDeletedName, namesIn } from "../reader/root.ts";
import { makeTeam } from "./teams.ts";

/** A team goes out of sight in one step. */
export const departureChecks: readonly Check[] = [
  {
    id: "FS-LEAVING/a",
    title: "a team is renamed out of sight before it is removed, so that nobody sees it half gone",
    requirements: ["ATP-FS-103"],
    level: "L1",
    revisions: ["2026-11"],
    needs: { methods: ["team.create", "team.delete"] },
    async run(context) {
      const { team } = await makeTeam(context);
      const teams = join(context.root, "teams");
      if (!namesIn(teams).includes(team)) throw checkFailure("the team that was made is not there");
      const seen: string[] = [];
      const watching = watch(teams, (_, name) => name && seen.push(name));
      const last = "told-last";
      try {
        await context.ok("team.delete", { team });
        mkdirSync(join(teams, last));
        // The last change is reported last: then everything before it was reported.
        const signal = AbortSignal.timeout(context.scaled(5_000));
        while (!seen.includes(last)) await once(watching, "change", { signal });
      } finally {
        watching.close();
      }
      if (seen.some((name) => name.startsWith(`${team}.`) && isDeletedName(name))) return undefined;
      throw checkFailure("no directory of that name came by", { expected: `${team}.deleted-<uuid>`, actual: seen });
    },
  },
];
