import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { CheckContext } from "../../check.ts";
import type { Fields } from "../../concurrency/documents.ts";
import { replace } from "../../concurrency/documents.ts";
import { conventionOf } from "../../concurrency/foreign-lock.ts";
import { assertMatches, assertThat } from "../assert.ts";
import { countIn, toldTo } from "../conversation.ts";
import { type LeadStage, leadCheck } from "../lead-stage.ts";
import { putEntry } from "../put-entry.ts";

/** A hook that writes down what it is told. */
const hook = (event: string) => ({ [event]: [{ hooks: [{ type: "command", command: `cat >> ${event}.txt` }] }] });

const placeOf = (context: CheckContext, team: string, ...rest: readonly string[]) =>
  join(context.root, "teams", team, ...rest);

/** Puts an entry into the lead's inbox, in the name of this member. */
const writes = async (context: CheckContext, { makeTeam }: LeadStage, from: string, text: string | object) =>
  putEntry(context, placeOf(context, await makeTeam(), "inboxes/team-lead.json"), text, { from });

/** Adds a member to the config under its lock, as a program does that joins by itself. */
async function joins(context: CheckContext, stage: LeadStage, name: string): Promise<void> {
  const path = placeOf(context, await stage.makeTeam(), "config.json");
  const { hold } = conventionOf(context.declaration);
  const lock = await stage.until("the lock of the config", () => {
    try {
      return hold(path);
    } catch {
      return undefined;
    }
  });
  const config = JSON.parse(readFileSync(path, "utf8")) as { members: Fields[] };
  const member = { agentId: `${name}@${stage.post.team()}`, name, joinedAt: Date.now(), tmuxPaneId: "%99" };
  replace(path, { ...config, members: [...config.members, { ...member, subscriptions: [], cwd: stage.cwd }] });
  lock.release();
}

/** What a lead does with what others write, who need not be its own. */
export const leadOtherChecks = [
  leadCheck({
    id: "LEAD-INBOX/a",
    title: "an inbox comes with its first entry, and an empty one is as good as none",
    requirements: ["ATP-INB-109"],
    revisions: ["2026-11"],
    async run({ spawn, lead, dialect, makeTeam, post }, context) {
      const inboxes = placeOf(context, await makeTeam(), "inboxes");
      await spawn({ name: "ann", prompt: "Begin." });
      await spawn({ name: "bob", prompt: "Begin." });
      assertThat(!existsSync(join(inboxes, "ann.json")), "ann has an inbox before any entry");
      const { send } = await dialect();
      await lead.does(send("ann", "Go on."));
      assertMatches("the entries of ann", post.to("ann").length, 1);
      await putEntry(context, join(inboxes, "carol.json"), "of nobody");
      replace(join(inboxes, "bob.json"), []);
      await lead.does(send("bob", "Go on."));
      assertMatches("the entries of bob", post.to("bob").length, 1);
    },
  }),
  leadCheck({
    id: "LEAD-IDLE/b",
    title: "idle notifications that come again and again are borne",
    requirements: ["ATP-LIF-003"],
    async run(stage, context) {
      const ann = await stage.spawn({ name: "ann", prompt: "Begin." });
      const idle = { type: "idle_notification", from: "ann", idleReason: "available" };
      for (let count = 0; count < 3; count += 1)
        await writes(context, stage, "ann", { ...idle, timestamp: new Date().toISOString() });
      await ann.does((await stage.dialect()).send("team-lead", "I am still here."));
      await stage.hears("I am still here.");
      assertMatches("the member", stage.post.member("ann"), { name: "ann" });
      await stage.lead.does((await stage.dialect()).send("ann", "Go on then."));
      assertThat(ann.isAsked(), "the teammate is gone");
    },
  }),
  leadCheck({
    id: "LEAD-OTHERS/a",
    title: "a member that joined by itself is not taken out by the lead when it says that it ends",
    requirements: ["ATP-MEM-106"],
    async run(stage, context) {
      const { spawn, lead, dialect, letter, post, never } = stage;
      await spawn({ name: "ann", prompt: "Begin." });
      await joins(context, stage, "eve");
      const { askToEnd, send } = await dialect();
      await lead.does(askToEnd("eve", "the work is done"));
      const { requestId } = (await letter("shutdown_request", "eve")).body;
      const body = { type: "shutdown_approved", requestId, from: "eve", timestamp: new Date().toISOString() };
      await writes(context, stage, "eve", { ...body, paneId: "%99", backendType: "tmux" });
      await stage.puppet("ann").does(send("team-lead", "Eve is off."));
      await stage.hears("Eve is off.");
      await never("a config without it", () => !post.member("eve"));
    },
  }),
  leadCheck({
    id: "LEAD-OTHERS/b",
    title: "what is written to a lead before it has spawned anybody is not lost",
    requirements: ["ATP-LIF-101"],
    revisions: ["2026-11"],
    async run(stage, context) {
      await stage.makeTeam();
      await joins(context, stage, "eve");
      await writes(context, stage, "eve", "I was here before all.");
      const ann = await stage.spawn({ name: "ann", prompt: "Begin." });
      await ann.does((await stage.dialect()).send("team-lead", "And I came later."));
      const told = await stage.hears("And I came later.");
      const inbox = placeOf(context, await stage.makeTeam(), "inboxes/team-lead.json");
      const inFile = existsSync(inbox) && readFileSync(inbox, "utf8").includes("I was here before all.");
      assertThat(told.includes("I was here before all.") || inFile, "it is neither told nor in the inbox", told);
      assertThat(
        countIn({ messages: stage.lead.requests.at(-1)?.messages ?? [] }, "I was here before all.") <= 1,
        "it was told twice",
      );
    },
  }),
  leadCheck({
    id: "LEAD-OTHERS/c",
    title: "who joins by itself can be written to, and its plan waits for the lead's own decision",
    requirements: ["ATP-LIF-103"],
    revisions: ["2026-11"],
    async run(stage, context) {
      const { spawn, lead, dialect, letter, post, never } = stage;
      await spawn({ name: "ann", prompt: "Begin." });
      await joins(context, stage, "eve");
      const { send, answerPlan } = await dialect();
      await lead.does(send("eve", "Welcome."));
      assertMatches("the entry", post.to("eve")[0]?.entry, { text: "Welcome.", from: "team-lead" });
      const requestId = `plan_approval-1770535107409@eve@${post.team()}`;
      const plan = { planFilePath: "/tmp/plan.md", planContent: "First the grammar." };
      const stamp = { from: "eve", timestamp: new Date().toISOString() };
      await writes(context, stage, "eve", { type: "plan_approval_request", ...stamp, ...plan, requestId });
      await stage.hears(requestId);
      const answers = () => post.to("eve").filter(({ body }) => body["type"] === "plan_approval_response");
      await never("an answer of nobody", () => answers().length > 0);
      await lead.does(answerPlan("eve", requestId, true));
      assertMatches("the answer", (await letter("plan_approval_response", "eve")).body, { requestId, approved: true });
    },
  }),
  leadCheck({
    id: "LEAD-HOOKS/a",
    title: "hooks of the settings are told of a task that is completed, and of a teammate whose turn has ended",
    requirements: ["ATP-LIF-013"],
    with: {
      rootFiles: { "settings.json": JSON.stringify({ hooks: { ...hook("TaskCompleted"), ...hook("TeammateIdle") } }) },
    },
    async run({ spawn, lead, cwd, until }) {
      const ann = await spawn({ name: "ann", prompt: "Begin." });
      const told = (event: string) =>
        until(`what the hook ${event} was told`, () => {
          const path = join(cwd, `${event}.txt`);
          return existsSync(path) && readFileSync(path, "utf8").includes(event) && readFileSync(path, "utf8");
        });
      await lead.does(["TaskCreate", { subject: "Read rule 3", description: "all of it" }]);
      await lead.does(["TaskUpdate", { taskId: "1", status: "completed" }]);
      assertThat((await told("TaskCompleted")).includes("Read rule 3"), "it was not told which task");
      assertThat(!existsSync(join(cwd, "TeammateIdle.txt")), "it was told of a teammate that still works");
      await ann.says("Done.");
      assertThat((await told("TeammateIdle")).includes("ann"), "it was not told which teammate");
    },
  }),
  leadCheck({
    id: "LEAD-ALONE/a",
    title: "a session without a person makes no team for its tasks, and keeps them under its own id",
    requirements: ["ATP-FS-102"],
    revisions: ["2026-11"],
    with: { isAlone: true, prompt: "Read the grammar." },
    async run({ lead, post }, { root }) {
      await lead.does(["TaskCreate", { subject: "Read rule 3", description: "all of it" }]);
      assertMatches("the team", post.team(), undefined);
      const lists = readdirSync(join(root, "tasks"));
      assertMatches("the task lists", lists, [{ $match: "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$" }]);
      assertThat(existsSync(join(root, "tasks", lists[0] ?? "", "1.json")), "the task is not there", lists);
    },
  }),
  leadCheck({
    id: "LEAD-ALL/a",
    level: "L5",
    title: "what is no plain message cannot be sent to all",
    requirements: ["ATP-SND-013"],
    revisions: ["2026-02"],
    async run({ spawn, lead, post }) {
      await spawn({ name: "ann", prompt: "Begin." });
      const structured = [
        { type: "shutdown_request", recipient: "*", content: "end all" },
        { type: "plan_approval_response", recipient: "*", request_id: "plan_approval-1@ann@crew", approve: true },
      ];
      const results = await lead.does(...structured.map((input) => ["SendMessage", input] as const));
      assertThat(
        results.every(({ isError, text }) => isError || /"success":\s*false/.test(text)),
        "a call went through",
        results,
      );
      assertMatches("what came to ann", post.to("ann").length, 0);
    },
  }),
  leadCheck({
    id: "LEAD-GONE/b",
    title: "the model of a lead is told of the end of a teammate beside it in the words of the client",
    requirements: ["ATP-MSG-022"],
    revisions: ["2026-02"],
    async run(stage) {
      const { spawn, lead, letGo } = stage;
      await letGo("ann", await spawn({ name: "ann", prompt: "Begin." }));
      const told = await stage.hears("in_process_teammate");
      const words = /Task \S+ \(type: in_process_teammate\) \(status: completed\)/;
      assertThat(words.test(told), "the words are others", told.slice(-400));
      assertThat(toldTo(await lead.asked()).includes("ann"), "it does not say who");
    },
  }),
];
