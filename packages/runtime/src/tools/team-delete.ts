import { teamDeleteTool as boundary, TeamDeleteInput } from "@troupe/protocol/tools";
import type { Store, Team } from "@troupe/store";
import { failed, said } from "../loop/outcome.ts";
import type { Tool } from "../loop/tool.ts";
import { typedTool } from "../loop/typed-tool.ts";
import { answered } from "./task-board.ts";

export interface TeamDeleteDeps {
  readonly store: Pick<Store, "deleteTeam">;
  /** The team that the session leads. */
  readonly team: () => Pick<Team, "name"> | undefined;
  /** Ends teammates that run and are in the roster no more; rejects where one cannot be ended. */
  readonly endStrays: () => Promise<void>;
  /** Lets go of a team that is gone. */
  readonly letGo: () => Promise<void> | void;
}

/** Ends the caller's team, once it is alone in it. */
export const teamDeleteTool = ({ store, team, endStrays, letGo }: TeamDeleteDeps): Tool =>
  typedTool({
    name: boundary.name,
    description:
      "Removes the team that you lead, with its messages and its task list. It is refused while there are teammates: ask them to end with SendMessage first.",
    input: TeamDeleteInput,
    run: () =>
      answered(async () => {
        const own = team();
        if (!own) return failed("You lead no team.");
        await endStrays();
        await store.deleteTeam(own.name);
        await letGo();
        return said(`Removed the team ${own.name} with its messages and tasks.`);
      }),
  });
