import { join } from "node:path";
import { assertMatches, assertThat } from "../assert.ts";
import { type LeadStage, leadCheck } from "../lead-stage.ts";
import { putEntry } from "../put-entry.ts";

const inTmux = { isInTmux: true };

/** Waits for the end of a pane; those of others are there still. */
async function closesAlone({ panes, until }: LeadStage, id: string, other: string): Promise<void> {
  await until("the end of its pane", () => !panes.all().some((pane) => pane.id === id));
  const left = panes.all().map((pane) => pane.id);
  assertThat(left.includes(other) && left.includes(panes.lead), "a pane of somebody else is gone", left);
}

/** How the panes of teammates go, and what becomes of a team whose teammate dies. */
export const paneEndChecks = [
  leadCheck({
    id: "PANE-END/a",
    title: "who agrees to end is gone with its pane and from the config, and the panes of others stay",
    requirements: ["ATP-BCK-105"],
    revisions: ["2026-11"],
    with: inTmux,
    async run(stage) {
      const { spawn, paneOf, panes, until, post, lead, letGo } = stage;
      const ann = await spawn({ name: "ann", prompt: "Begin." });
      const { id } = await paneOf("ann");
      const other = panes.split();
      await letGo("ann", ann);
      await lead.says("I wait.");
      await until("a config without ann", () => !post.member("ann"));
      await closesAlone(stage, id, other);
    },
  }),
  leadCheck({
    id: "PANE-END/b",
    title: "a lead that ends takes the panes that it made along, and no others",
    requirements: ["ATP-BCK-105"],
    revisions: ["2026-11"],
    with: inTmux,
    async run(stage) {
      const { spawn, paneOf, panes, until, lead, session } = stage;
      const ann = await spawn({ name: "ann", prompt: "Begin." });
      const { id } = await paneOf("ann");
      const other = panes.split();
      await ann.says("Done.");
      await until("the end of the lead", () => {
        if (lead.isAsked()) lead.says("That is all.").catch(() => {});
        return session.ended() !== undefined;
      });
      await closesAlone(stage, id, other);
    },
  }),
  leadCheck({
    id: "PANE-DELETE/a",
    title: "when a team is deleted its panes are gone, and no others",
    requirements: ["ATP-BCK-009"],
    revisions: ["2026-02"],
    with: inTmux,
    async run(stage) {
      const { spawn, paneOf, panes, until, post, lead, letGo, dialect } = stage;
      const ann = await spawn({ name: "ann", prompt: "Begin." });
      const { id } = await paneOf("ann");
      const other = panes.split();
      await letGo("ann", ann);
      await lead.says("I wait.");
      await until("a config without ann", () => !post.member("ann"));
      const [result] = await lead.does((await dialect()).endTeam());
      assertThat(result?.isError === false, "the team was not deleted", result);
      await closesAlone(stage, id, other);
    },
  }),
  leadCheck({
    id: "PANE-DIED/a",
    title: "a teammate that dies can be let go, and its task be given to another",
    requirements: ["ATP-LIF-009"],
    with: inTmux,
    async run({ spawn, paneOf, lead, dialect, post, until, letter }) {
      await spawn({ name: "ann", prompt: "Begin." });
      await lead.does(["TaskCreate", { subject: "Read rule 3", description: "all of it" }]);
      await lead.does(["TaskUpdate", { taskId: "1", owner: "ann", status: "in_progress" }]);
      process.kill((await paneOf("ann")).pid, "SIGKILL");
      const { askToEnd } = await dialect();
      await lead.does(askToEnd("ann", "you are gone"));
      await lead.says("I wait.");
      await until("a config without ann", () => !post.member("ann"));
      const bob = await spawn({ name: "bob", prompt: "Go on." });
      await lead.does(["TaskUpdate", { taskId: "1", owner: "bob" }]);
      await letter("task_assignment", "bob");
      await bob.asked();
    },
  }),
  leadCheck({
    id: "PANE-DIED/b",
    title: "an approval that comes when its sender is known to be gone does no harm",
    requirements: ["ATP-LIF-010"],
    with: inTmux,
    async run({ spawn, paneOf, lead, dialect, hears, post, until, makeTeam, session }, context) {
      await spawn({ name: "ann", prompt: "Begin." });
      const bob = await spawn({ name: "bob", prompt: "Begin." });
      process.kill((await paneOf("ann")).pid, "SIGKILL");
      await lead.says("I wait.");
      await until("a config without ann", () => !post.member("ann"));
      const inbox = join(context.root, "teams", await makeTeam(), "inboxes/team-lead.json");
      const body = { type: "shutdown_approved", requestId: "shutdown-1770535107409@ann", from: "ann" };
      const late = { ...body, timestamp: new Date().toISOString(), paneId: "%7", backendType: "tmux" };
      await putEntry(context, inbox, late, { from: "ann" });
      await bob.does((await dialect()).send("team-lead", "Bob has read all."));
      await hears("Bob has read all.");
      assertThat(session.ended() === undefined, "the lead has ended", session.ended());
      assertMatches("bob", post.member("bob"), { name: "bob" });
    },
  }),
];
