import { fault, type Reply, toolUse } from "@troupe/fake-anthropic";
import { revisions } from "@troupe/protocol";
import { describe, expect, onTestFinished, test } from "vitest";
import { awaited } from "../../../../scripts/awaited.ts";
import { faked } from "../../test/faked.ts";
import { changed, opened, type Wishes } from "../../test/sessions.ts";
import { crew } from "../../test/team.ts";
import { said } from "../loop/outcome.ts";

const look = toolUse("Glob", { pattern: "*" });

describe.each(revisions)("in %s", (revision) => {
  /** Ann, who answers her requests as is said here until she has ended so many turns. */
  async function ann(
    turns: number,
    says: (nth: number) => Reply | Promise<Reply>,
    wishes: Wishes & { settings?: object } = {},
  ) {
    const { settings, ...more } = wishes;
    const all = await crew(revision, "ann");
    let nth = 0;
    const stage = await faked({ rule: () => says(nth++) }, settings ? { settings } : {});
    if (settings) stage.trust();
    const seat = { team: all.team, self: await all.team.as("ann"), lead: "team-lead" };
    const session = opened(changed(stage.deps, { revision, seat, ...more }));
    session.tell("begin");
    const ending = new AbortController();
    onTestFinished(() => ending.abort());
    const work = async () => {
      let ended = 0;
      for await (const event of session.attendTeam(ending.signal)) if ("isOk" in event && ++ended === turns) return;
    };
    return {
      all,
      session,
      over: () => awaited("the last turn", work()),
      /** Which requests tell of a word, by their number. */
      tellOf: (word: string) => stage.fake.requests.flatMap(({ body }, at) => (body.includes(word) ? [at] : [])),
    };
  }

  const news = (
    all: { team: { as(name: string): Promise<{ send(to: string, content: { text: string }): Promise<unknown> }> } },
    more: object = {},
  ) => all.team.as("team-lead").then((lead) => lead.send("ann", { text: "the news", ...more }));

  test("[ATP-SND-009] mail is heard at the end of the turn, unless it is said that a boundary will do", async () => {
    const one = await ann(2, async (nth) => {
      if (nth === 0) await news(one.all);
      return nth === 0 ? [look] : "Done.";
    });
    await one.over();
    expect(one.tellOf("the news")).toEqual([2]);
  });

  test("[ATP-SND-009] with deliverAt boundary it is heard at the next tool boundary, once, in the same turn", async () => {
    const one = await ann(
      1,
      async (nth) => {
        if (nth === 1) await news(one.all);
        return nth < 2 ? [look] : "Done.";
      },
      { settings: { deliverAt: "boundary" } },
    );
    await one.over();
    expect(one.tellOf("the news")).toEqual([2]);
    expect((await one.all.team.mail("ann").page()).value?.filter(({ entry }) => entry.read === false)).toEqual([]);
  });

  test("an urgent message ends the request to the model, and is heard by the next", async () => {
    const one = await ann(1, async (nth) => {
      if (nth > 0) return "Done.";
      await news(one.all, { urgent: true });
      return fault.stalled("I go on and on", 1);
    });
    await one.over();
    expect(one.tellOf("the news")).toEqual([1]);
    expect(one.tellOf("I go on and on")).toEqual([]);
  });

  test("[SEND-06] an urgent message ends no tool: its result is whole, and the message is heard behind it in the same turn", async () => {
    const signals: AbortSignal[] = [];
    const slow = {
      definition: { name: "Slow", description: "Takes its time.", input_schema: { type: "object" } },
      isReplayable: false,
      isReadOnly: true,
      isConcurrent: () => false,
      run: async (_: unknown, { signal }: { signal: AbortSignal }) => {
        signals.push(signal);
        const offered = one.session.mail(AbortSignal.timeout(60_000));
        await news(one.all, { urgent: true });
        await offered;
        return said("all went well");
      },
    };
    const one = await ann(1, (nth) => (nth === 0 ? [toolUse("Slow", {})] : "Done."), {
      tools: [slow],
      mode: "bypassPermissions",
      isBypassAvailable: true,
    });
    await one.over();
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
    expect(one.tellOf("all went well")).toEqual([1]);
    expect(one.tellOf("the news")).toEqual([1]);
  });
});
