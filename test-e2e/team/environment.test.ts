import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type MessagesRequest, toolUse } from "@troupe/fake-anthropic";
import { expect, test } from "vitest";
import { testMachine } from "../backends/tmux-machine.ts";
import { ann, isAnn, leadOfAnn, openLeads, usedIn } from "../led-team.ts";
import { describeWith } from "../require.ts";

const { root, stage, expectNothingLeft } = openLeads();
const config = join(root, "teams/crew/config.json");

const settings = (env: Readonly<Record<string, string>> = {}) => {
  mkdirSync(root, { recursive: true });
  writeFileSync(join(root, "settings.json"), JSON.stringify({ env, permissions: { allow: ["Bash"] } }));
};

/** What its commands find in their environment, by name. */
function variablesIn({ messages }: MessagesRequest): Readonly<Record<string, string>> {
  const told = JSON.stringify(messages).replaceAll("\\n", "\n");
  return Object.fromEntries(
    [...told.matchAll(/^(?:.*")?((?:CLAUDE|TMUX_)\w+)=([^\n"]*)/gm)].map(([, name, value]) => [name, value]),
  );
}
const look = [toolUse("Bash", { command: "env | grep -E '^(CLAUDECODE|CLAUDE_CODE_E|TMUX_PANE)'" })];

describeWith("tmux", "a lead in a pane", () => {
  test.each(["in-process", "process", "tmux"])(
    "[STORE-07] and its teammate, %s, run commands that know who runs them; the pane is told to who is in it alone",
    async (where) => {
      settings();
      const users = testMachine().users();
      let pane: string | undefined;
      const seen: Record<string, Readonly<Record<string, string>>> = {};
      const { lead } = await stage(
        (request) => {
          const name = isAnn(request) ? "ann" : "lead";
          if (!usedIn(request).includes("Bash")) return look;
          seen[name] ??= variablesIn(request);
          if (name === "lead") return leadOfAnn({ ...request, messages: request.messages.slice(2) });
          const { members } = JSON.parse(readFileSync(config, "utf8"));
          pane = members.find((one: { readonly name: string }) => one.name === "ann")?.tmuxPaneId;
          return ann({ ...request, messages: request.messages.slice(2) });
        },
        { TMUX: users.environment.TMUX, TMUX_PANE: users.pane },
      );
      expect(await lead(where).over()).toMatchObject({ status: 0 });
      const ofAll = {
        CLAUDECODE: "1",
        CLAUDE_CODE_ENTRYPOINT: "cli",
        CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS: "1",
      };
      expect(seen).toEqual({
        lead: { ...ofAll, TMUX_PANE: users.pane },
        ann: where === "tmux" ? { ...ofAll, TMUX_PANE: pane } : ofAll,
      });
      if (where === "tmux") expect([pane, pane === users.pane]).toEqual([expect.stringMatching(/^%\d+$/), false]);
      expectNothingLeft();
    },
  );
});

test("[TEAM-01] a lead adds teammates unless the variable of teams says no, which is read again each time it adds one", async () => {
  const variable = "CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS";
  const add = (name: string) => [
    toolUse("Agent", { name, description: "d", prompt: "p", subagent_type: "general-purpose", team_name: "crew" }),
  ];
  const rosters: unknown[] = [];
  let told = "";
  const { lead } = await stage(
    (request) => {
      if (!/You are \w+ in the team crew/.test(JSON.stringify(request.system).replace(/You are team-lead/, ""))) {
        told = JSON.stringify(request.messages);
        const done = usedIn(request).length;
        if (done > 0) rosters[done - 1] = existsSync(config) && JSON.parse(readFileSync(config, "utf8")).members.length;
        const value = ["1", "0", "1", "false"][done - 1];
        if (value !== undefined) settings({ [variable]: value });
        return (
          [[toolUse("TeamCreate", { team_name: "crew" })], ...["ann", "bob", "carol", "dave"].map(add)][done] ??
          "All is done."
        );
      }
      return "I rest.";
    },
    { [variable]: "0" },
  );
  settings();
  expect(await lead("in-process").over()).toMatchObject({ status: 0 });
  expect(rosters).toEqual([1, 2, 2, 3, 3]);
  expect(told.split("teams are off here")).toHaveLength(3);
});
