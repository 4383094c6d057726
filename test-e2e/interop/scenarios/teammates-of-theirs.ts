import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import type { MessagesRequest } from "@troupe/fake-anthropic";
import type { Ask, CallQuestion, Reply } from "@troupe/team";
import { awaited, untilSeen } from "../../../scripts/awaited.ts";
import { processesWith } from "../../processes.ts";
import { expectSame } from "../checks.ts";
import { makes } from "../client.ts";
import { markOf, toldTo } from "../conversation.ts";
import { type OurLead, openOurLead } from "../our-lead.ts";
import { askToEnd, bid, dialectIn, type Pace } from "../puppet.ts";
import { makeTeam } from "../real-lead.ts";
import type { Given, Scenario } from "../scenario.ts";

/** 3: our lead, teammates of theirs in panes and processes. */
export const teammatesOfTheirs: Scenario = {
  id: "3",
  title: "our lead, teammates of theirs through our tmux and process backends",
  async run(given) {
    if (!makes[given.client.kind].hasScreen) {
      const why =
        "the program that npm has of it takes no words of a teammate (unknown option --agent-id) and has no screen";
      return given.notApplicable(startsInPane, why);
    }
    await inPanes(given);
    await planning(given);
    await inProcesses(given);
  },
};

const startsInPane = "spawn in a pane: its model is told its prompt";

/** A lead of ours with a team, and a person who allows what is not asked about in the test. */
async function ledTeam(given: Given, where: "tmux" | "process", areTeammatesPlanning = false) {
  const stage = await given.open();
  const questions: CallQuestion[] = [];
  const replies: Reply[] = [];
  const ask: Ask = async (question) => {
    if (question.from) questions.push(question);
    return (question.from && replies.shift()) ?? { behavior: "allow" };
  };
  const lead = await openOurLead(stage, { where, ask, areTeammatesPlanning });
  const name = await makeTeam(stage, lead);
  // While a client writes it in place, on a busy machine for seconds, the team cannot be opened.
  const roster = async () => (await (await stage.store.openTeam(name).catch(() => undefined))?.config())?.value;
  const members = async () =>
    untilSeen("the members", async () => (await roster())?.members.map((member) => member.name));
  const spawn = (who: string) => lead.does(lead.dialect.spawn(who, `${markOf(who)} I am ${who}.`, { team: name }));
  return { stage, lead, name, questions, replies, roster, members, spawn };
}

type Led = Awaited<ReturnType<typeof ledTeam>>;

async function inPanes(given: Given): Promise<void> {
  const { check } = given;
  const led = await ledTeam(given, "tmux");
  const { stage, lead, members, spawn } = led;
  const ann = stage.agent("ann");
  const pace = paceOf(led, "ann");
  try {
    await check(startsInPane, async () => {
      const [said = ""] = await spawn("ann");
      await awaited(
        "the prompt of ann",
        ann.seen((request) => toldTo(request).includes("I am ann.")),
      ).catch((error) => {
        throw new Error(`${error.message}: ${said} ${lead.shown.join("; ")}`);
      });
      expectSame("the members", await members(), ["team-lead", "ann"]);
      return undefined;
    });
    await check("a message of our lead reaches its model, and its reply ours", async () => {
      await bid(lead, ann, dialectIn(ann).send("team-lead", "the fence is green"), pace);
      await lead.hears("the fence is green");
      return undefined;
    });
    await check("its idleness is told to the model of our lead", () => idle(lead));
    await check("a request to end that it rejects reaches our lead with its reason, and it works on", async () => {
      await askToEnd(lead, ann, { reason: "still busy", pace });
      await lead.hears("still busy");
      expectSame("the members", await members(), ["team-lead", "ann"]);
      return undefined;
    });
    await check("it agrees to end, is gone from the roster, and nothing of it runs", async () => {
      await askToEnd(lead, ann, { pace });
      await untilSeen("the end of ann", async () => (await members()).length === 1);
      await untilSeen("the end of its process", () => running().length === 0);
      return undefined;
    });
    await check("one that is killed is noticed, told to our model, and taken out", async () => {
      await spawn("bob");
      await untilSeen("the process of bob", () => running().length > 0);
      killAll();
      await lead.hears("bob has ended without a word");
      expectSame("the members", await members(), ["team-lead"]);
      return undefined;
    });
    await permissions(given, led);
  } finally {
    await lead.close();
  }
}

/**
 * A client in a process of its own writes in its roster entry whether it works, in place. A turn
 * that begins while it still writes that the last one ended leaves the file broken for good, and
 * its end in the middle of that leaves it empty; while it cannot read the file, it asks its lead
 * for nothing. A model that answers within milliseconds meets all of this.
 */
export function paceOf({ stage, name, roster }: Pick<Led, "stage" | "name" | "roster">, who: string): Pace {
  const becomes = (isActive: boolean) => async () => {
    const value = await roster();
    const entry = value?.members.find((member) => member.name === who);
    const isQuiet = Date.now() - statSync(join(stage.root, "teams", name, "config.json")).mtimeMs > 300;
    return isQuiet && entry?.isActive === isActive;
  };
  // It may also have failed to write it.
  const until = (isActive: boolean) => untilSeen(`isActive of ${who}`, becomes(isActive), 10_000).catch(() => {});
  const isGone = async () => {
    const value = await roster();
    return value !== undefined && !value.members.some((member) => member.name === who);
  };
  const leaves = () => untilSeen(`the end of ${who}`, isGone, 10_000).catch(() => {});
  return { rests: () => until(false), works: () => until(true), leaves };
}

/** One of its own asks, so that a version that fails at a question has shown the rest by then. */
async function permissions({ check }: Given, led: Led): Promise<void> {
  const { stage, lead, questions, replies, spawn } = led;
  const pat = stage.agent("pat");
  const pace = paceOf(led, "pat");
  await spawn("pat");
  await check("a call that needs permission is asked at our lead and runs when allowed", async () => {
    const file = join(stage.cwd, "allowed");
    const said = await bid(lead, pat, ["Bash", { command: `touch ${file}`, description: "touch a file" }], pace);
    expectSame(
      `who asked (it was told: ${said})`,
      questions.map(({ from, tool }) => [from?.name, tool]),
      [["pat", "Bash"]],
    );
    expectSame("the file is there", existsSync(file), true);
    return undefined;
  });
  await check("a call that is denied at our lead does not run, and its model hears why", async () => {
    const file = join(stage.cwd, "denied");
    replies.push({ behavior: "deny", message: "not on a Sunday" });
    const said = await bid(lead, pat, ["Bash", { command: `touch ${file}`, description: "touch a file" }], pace);
    expectSame("the file is there", existsSync(file), false);
    if (!said.includes("not on a Sunday")) throw new Error(`it heard: ${said}`);
    return undefined;
  });
}

async function idle(lead: OurLead): Promise<undefined> {
  await lead.hears("idle_notification");
  return undefined;
}

/** Kills all that runs of teammates; one may end with another. */
function killAll(): void {
  for (const pid of running())
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended already.
    }
}

/** All that runs of teammates, by the mark of their backend. */
const running = () => processesWith("TROUPE_TEAMMATE").map(Number);

async function planning(given: Given): Promise<void> {
  const led = await ledTeam(given, "tmux", true);
  const { stage, lead, spawn } = led;
  const carl = stage.agent("carl");
  const pace = paceOf(led, "carl");
  /** Hands a plan in; the id of the request at our lead. */
  const handIn = async (): Promise<string> => {
    const before = plansIn(lead.told()).length;
    await bid(lead, carl, ["ExitPlanMode", {}], pace);
    await untilSeen("the plan at our lead", () => plansIn(lead.told()).length > before);
    // What it takes from its inbox as its turn ends does not always reach its model.
    await pace.rests();
    return plansIn(lead.told()).at(-1) ?? "";
  };
  const placeOfPlan = async () => {
    const said = await bid(lead, carl, ["ExitPlanMode", {}], pace);
    return planPathIn({ messages: [], system: [{ type: "text", text: said }] });
  };
  try {
    await given.check("a teammate that plans first hands its plan to our model, which rejects it", async () => {
      await spawn("carl");
      const first = carl.seen((request) => toldTo(request).includes("I am carl.") && request);
      // An earlier version says with its prompt where a plan goes, a later one when none is there.
      const path = planPathIn(await awaited("the prompt of carl", first)) ?? (await placeOfPlan());
      await bid(lead, carl, ["Write", { file_path: path, content: "Paint it green." }], pace);
      const id = await handIn();
      if (!lead.told().includes("Paint it green.")) throw new Error("the plan was not shown to our model");
      await lead.does(lead.dialect.answerPlan("carl", id, false, "blue, please"));
      await awaited(
        "the refusal",
        carl.seen((request) => toldTo(request).includes("blue, please")),
      );
      return undefined;
    });
    await given.check("a plan that our model approves lets it work", async () => {
      await lead.does(lead.dialect.answerPlan("carl", await handIn(), true));
      await awaited(
        "the approval",
        carl.seen((request) => /plan[^.]*approved/i.test(toldTo(request))),
      );
      const file = join(stage.cwd, "planned");
      await bid(lead, carl, ["Write", { file_path: file, content: "green" }], pace);
      expectSame("the file is there", existsSync(file), true);
      return undefined;
    });
  } finally {
    await lead.close();
  }
}

const plansIn = (told: string): readonly string[] => told.match(/plan_approval-\d+@[\w-]+(@[\w-]+)?/g) ?? [];

const planPathIn = ({ messages, system }: Pick<MessagesRequest, "messages" | "system">): string | undefined =>
  /\/[^\s"'`\\]*\/plans\/[\w-]+\.md/.exec(JSON.stringify([system, messages]))?.[0];

async function inProcesses(given: Given): Promise<void> {
  const led = await ledTeam(given, "process");
  const { stage, lead, spawn, members } = led;
  const dan = stage.agent("dan");
  const pace = paceOf(led, "dan");
  try {
    await given.check("spawn as a process, in a pseudo terminal: its model is told its prompt", async () => {
      const [said = ""] = await spawn("dan");
      await awaited(
        "the prompt",
        dan.seen((request) => toldTo(request).includes("I am dan.")),
      ).catch((error) => {
        throw new Error(`${error.message}: ${said}`);
      });
      return undefined;
    });
    await given.check("a message of our lead reaches one in a process, and its reply ours", async () => {
      await bid(lead, dan, dialectIn(dan).send("team-lead", "the gate is open"), pace);
      await lead.hears("the gate is open");
      return undefined;
    });
    await given.check("one in a process agrees to end, is gone, and nothing of it runs", async () => {
      await askToEnd(lead, dan, { pace });
      await untilSeen("the end of dan", async () => (await members()).length === 1);
      await untilSeen("the end of its process", () => running().length === 0);
      return undefined;
    });
    await given.check("one in a process that is killed is noticed, told to our model, and taken out", async () => {
      await spawn("eve");
      await untilSeen("the process of eve", () => running().length > 0);
      killAll();
      await lead.hears("eve has ended without a word");
      expectSame("the members", await members(), ["team-lead"]);
      return undefined;
    });
  } finally {
    await lead.close();
  }
}
