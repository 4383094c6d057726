import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { claudeTeammate } from "@troupe/backends";
import { toolUse } from "@troupe/fake-anthropic";
import type { CallQuestion, Reply } from "@troupe/team";
import { awaited, untilSeen } from "../../../scripts/awaited.ts";
import { expectSame } from "../checks.ts";
import { markOf, toldTo } from "../conversation.ts";
import { openOurLead } from "../our-lead.ts";
import { askToEnd, bid, dialectIn } from "../puppet.ts";
import { makeTeam } from "../real-lead.ts";
import type { Given } from "../scenario.ts";
import { openSharedSide } from "../shared-side.ts";
import { namesIn } from "./lead-over-bridge.ts";
import { onceEach } from "./member-of-ours.ts";
import { paceOf } from "./teammates-of-theirs.ts";

const marks = (of: string) => Array.from({ length: 40 }, (_, n) => `<${of}-${String(n).padStart(3, "0")}>`);
const toIt = marks("to-it");
const byIt = marks("by-it");

/** Our lead on PostgreSQL, and a teammate of theirs that knows its files alone. */
export async function teammateOverBridge(given: Given): Promise<void> {
  const { check, client } = given;
  const stage = await given.open();
  const shared = await openSharedSide(given, stage);
  const questions: CallQuestion[] = [];
  const replies: Reply[] = [];
  const ask = async (question: CallQuestion) => {
    if (question.from) questions.push(question);
    return (question.from && replies.shift()) ?? ({ behavior: "allow" } as const);
  };
  // The lead is on another machine: nothing of it lies in the files of its teammate.
  const root = join(stage.home, "elsewhere");
  mkdirSync(root);
  const lead = await openOurLead({ ...stage, root, store: shared.store }, { where: "process", ask });
  try {
    const name = await makeTeam({ store: shared.store }, lead, "fleet");
    const team = await shared.store.openTeam(name);
    if (!team) throw new Error(`PostgreSQL has no team ${name}`);
    const members = () => namesIn(shared.store, name);
    const roster = async () => (await (await stage.store.openTeam(name).catch(() => undefined))?.config())?.value;
    const ann = stage.agent("ann");
    const pace = paceOf({ stage, name, roster }, "ann");
    await check(
      "one that joins in files is a member on PostgreSQL, and its model is told what our lead says",
      async () => {
        await shared.tie(name, "lab");
        await stage.troupe("team", "join", name, "ann");
        await untilSeen("ann on PostgreSQL", async () => (await members()).includes("ann"));
        await lead.does(lead.dialect.send("ann", `${markOf("ann")} I am ann.`));
        const { leadSessionId = "", createdAt = 0 } = (await team.config()).value ?? {};
        const { file, args, environment } = claudeTeammate({ command: client.command, environment: {} })({
          team: name,
          teamCreatedAt: createdAt,
          name: "ann",
          revision: client.revision,
          leadSessionId,
          agentType: "general-purpose",
          model: "claude-opus-4-6",
          prompt: "",
          mode: "default",
          planModeRequired: false,
          cwd: stage.cwd,
          environment: {},
          color: "green",
        });
        const variables = Object.entries(environment).map(([key, value]) => `${key}=${value}`);
        await stage.terminal.open(["/usr/bin/env", ...variables, file, ...args]);
        await awaited(
          "the first word to ann",
          ann.seen((request) => toldTo(request).includes("I am ann.")),
        );
        return undefined;
      },
    );
    await check(`${toIt.length} messages of our lead reach its model, each once`, async () => {
      await lead.does(...toIt.map((mark) => lead.dialect.send("ann", `note ${mark}`)));
      const told = () => ann.requests.map(toldTo).at(-1) ?? "";
      // What it takes in the middle of a turn it may tell its model behind the last.
      const all = ann.seen((request) => toIt.every((mark) => toldTo(request).includes(mark)));
      await awaited("all of them", all).catch(() => {});
      return onceEach(told(), toIt);
    });
    await check(`${byIt.length} messages of its model reach our lead's, each once`, async () => {
      const calls = byIt.map((mark, n) =>
        toolUse(...dialectIn(ann).send("team-lead", `note ${mark}`), `toolu_by_${n}`),
      );
      void ann.seen((request) => {
        if (!toldTo(request).includes("say all")) return false;
        ann.push(calls);
        return true;
      });
      await lead.does(lead.dialect.send("ann", "say all"));
      await lead.hears(byIt.at(-1) ?? "").catch(() => {});
      return onceEach(lead.told(), byIt);
    });
    await check("its idleness is told to the model of our lead", async () => {
      await lead.hears("idle_notification");
      return undefined;
    });
    await check("a task of our lead is claimed and done by its model, and seen on PostgreSQL", async () => {
      const id = await create("Ours");
      const files = (await stage.store.openTeam(name))?.tasks;
      const isFree = async () => {
        const { value } = (await files?.get(id)) ?? {};
        return value && !value.owner;
      };
      await untilSeen("the task, free in its files", isFree);
      await bid(lead, ann, ["TaskUpdate", { taskId: id, owner: "ann", status: "in_progress" }], pace);
      await untilSeen("the claim on PostgreSQL", async () => (await team.tasks.get(id)).value?.owner === "ann");
      await bid(lead, ann, ["TaskUpdate", { taskId: id, status: "completed" }], pace);
      await untilSeen("its end on PostgreSQL", async () => (await team.tasks.get(id)).value?.status === "completed");
      return undefined;
    });
    await check("a task of its model is claimed and done by our lead's, and seen in its files", async () => {
      const said = await bid(lead, ann, ["TaskCreate", { subject: "Its", description: "made by ann" }], pace);
      const id = /#(\d+)/.exec(said)?.[1] ?? "";
      await untilSeen("the task on PostgreSQL", async () => (await team.tasks.get(id)).value !== undefined);
      await lead.does(["TaskUpdate", { taskId: id, owner: "team-lead", status: "in_progress" }]);
      await lead.does(["TaskUpdate", { taskId: id, status: "completed" }]);
      const files = (await stage.store.openTeam(name))?.tasks;
      await untilSeen("its end in the files", async () => (await files?.get(id))?.value?.status === "completed");
      return undefined;
    });
    await check(
      "a call that needs permission is asked at our lead, and runs when allowed, not when denied",
      async () => {
        const [allowed, denied] = [join(stage.cwd, "allowed"), join(stage.cwd, "denied")];
        const touch = (path: string) =>
          bid(lead, ann, ["Bash", { command: `touch ${path}`, description: "touch" }], pace);
        await touch(allowed);
        replies.push({ behavior: "deny", message: "not on a Sunday" });
        const said = await touch(denied);
        const asked = questions.map(({ from, tool }) => [from?.name, tool]);
        expectSame(`who asked (it was told: ${said})`, asked, [
          ["ann", "Bash"],
          ["ann", "Bash"],
        ]);
        expectSame("the files", [existsSync(allowed), existsSync(denied)], [true, false]);
        if (!said.includes("not on a Sunday")) throw new Error(`it heard: ${said}`);
        return undefined;
      },
    );
    await check("a request to end that it rejects reaches our lead with its reason, and it works on", async () => {
      await askToEnd(lead, ann, { reason: "still busy", pace });
      await lead.hears("still busy");
      expectSame("the members", await members(), ["team-lead", "ann"]);
      return undefined;
    });
    await check("it agrees to end, our lead's model hears that, and it is in no roster and runs no more", async () => {
      await askToEnd(lead, ann, { pace });
      await lead.hears("shutdown_approved");
      await untilSeen("the end of ann on PostgreSQL", async () => !(await members()).includes("ann"));
      await untilSeen("the end of ann in the files", async () => !(await namesIn(stage.store, name)).includes("ann"));
      await untilSeen(
        "the end of its process",
        async () => (await stage.terminal.panes().catch(() => [])).length === 0,
      );
      return undefined;
    });

    async function create(subject: string): Promise<string> {
      const [made = ""] = await lead.does(["TaskCreate", { subject, description: "made by the lead" }]);
      return /#(\d+)/.exec(made)?.[1] ?? "";
    }
  } finally {
    await lead.close();
    await shared.close();
  }
}
