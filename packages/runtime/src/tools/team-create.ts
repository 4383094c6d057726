import { teamCreateTool as boundary, TeamCreateInput } from "@troupe/protocol/tools";
import type { Store, Team } from "@troupe/store";
import { failed, said } from "../loop/outcome.ts";
import type { Tool } from "../loop/tool.ts";
import { typedTool } from "../loop/typed-tool.ts";
import { answered } from "./task-board.ts";

export interface TeamCreateDeps {
  readonly store: Pick<Store, "createTeam">;
  readonly sessionId: string;
  readonly model: string;
  readonly cwd: string;
  /** The team that the session leads or belongs to: there is one at the most. */
  readonly team: () => Pick<Team, "name"> | undefined;
  /** Takes the lead of a team that was just made. */
  readonly lead: (team: Team) => Promise<void> | void;
  readonly now: () => Date;
}

/** Makes a team that the caller leads. */
export const teamCreateTool = ({ store, sessionId, model, cwd, team, lead, now }: TeamCreateDeps): Tool =>
  typedTool({
    name: boundary.name,
    description:
      "Makes a team that you lead, with a task list of its own. Agents that you start with a name are its members then. A session has one team at a time.",
    input: TeamCreateInput,
    run: ({ team_name: name, description }) =>
      answered(async () => {
        const own = team();
        if (own) return failed(`You are in the team ${own.name} already, and a session has one team at a time.`);
        const draft = { leadSessionId: sessionId, leadModel: model, createdAt: now().getTime(), cwd };
        const made = await store.createTeam({ name, description, ...draft, revision: "2026-02" });
        await lead(made);
        return said(JSON.stringify((await made.config()).value, undefined, 2));
      }),
  });
