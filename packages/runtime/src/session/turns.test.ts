import { readFileSync } from "node:fs";
import { join } from "node:path";
import { layoutOf, revisions } from "@troupe/protocol";
import { describe, expect, test } from "vitest";
import { words } from "../../test/entries.ts";
import { commands, hooked } from "../../test/hooked.ts";
import { atWork, member } from "../../test/members.ts";
import { attended, born, crew, crewLedBy, mailOf, until, waitingFor } from "../../test/team.ts";

const answer = (_: unknown, nth: number) => [words(`answer ${nth + 1}`)];
const now = () => new Date("2026-02-13T10:10:53.467Z");
const notice = { type: "idle_notification", from: "alice", timestamp: now().toISOString(), idleReason: "available" };
const mail = (text: string) =>
  `<teammate-message teammate_id="team-lead" summary="${text}">\n${text}\n</teammate-message>`;

describe.each(revisions)("in %s", (revision) => {
  const result = (text: string) => (revision === "2026-11" ? { result: text } : {});
  const start = async () => {
    const all = await crew(revision, "alice");
    const life = await born(all, "alice", answer);
    return { all, life };
  };

  test("[RUNNER-01] [LIFE-08] [ATP-LIF-002] after each turn the lead is told, and the next message is the next prompt", async () => {
    const { all, life } = await start();
    life.agent.tell("begin");
    const { stop } = await attended(all, "alice", life, { now });
    expect(await all.leadHeard(1)).toEqual([{ ...notice, ...result("answer 1") }]);
    await all.say("alice", "go on");
    expect((await all.leadHeard(2))[1]).toEqual({ ...notice, ...result("answer 2") });
    expect((await stop())?.text).toBe("answer 2");
    expect(life.heard()).toEqual(["begin", "answer 1", mail("go on"), "answer 2"]);
    const entries = await mailOf(all.team, "team-lead");
    expect(entries.map(({ from, color, summary }) => [from, color, summary])).toEqual([
      ["alice", "blue", undefined],
      ["alice", "blue", undefined],
    ]);
  });

  test("[LIFE-07] [LIFE-09] [ATP-LIF-004] who is idle is still a member, and a message wakes it at once", async () => {
    const { all, life } = await start();
    await attended(all, "alice", life);
    for (const turn of [1, 2, 3]) {
      await all.say("alice", `work ${turn}`);
      await all.leadHeard(turn);
      const { value } = await all.team.config();
      expect(value?.members.map(({ name }) => name)).toEqual(["team-lead", "alice"]);
    }
    expect(life.heard()).toHaveLength(6);
  });

  test("the notice says what the last message to a peer was about, and gives no reason where another message waits", async () => {
    const { all, life } = await start();
    await all.team.join({ name: "bob", agentType: "worker", model: "m", prompt: "p", joinedAt: 1, cwd: "/" });
    const toBob = { kind: "message", to: "bob", text: "which?", summary: "asks", notifyWhenIdle: false } as const;
    const beforeIdle = async () => {
      if (life.heard().length !== 2) return undefined;
      await life.membership.send(toBob);
      await all.say("alice", "more");
      return undefined;
    };
    life.agent.tell("begin");
    await attended(all, "alice", life, { now, beforeIdle });
    const { idleReason, ...unreasoned } = notice;
    expect(await all.leadHeard(2)).toEqual([
      { ...(revision === "2026-11" ? unreasoned : notice), summary: "[to bob] asks", ...result("answer 1") },
      { ...notice, ...result("answer 2") },
    ]);
  });

  test("a turn that fails is told to the lead with its reason, and the teammate goes on with the next message", async () => {
    const all = await crew(revision, "alice");
    const failure = { kind: "invalid", message: "no credit" } as const;
    const life = await born(all, "alice", (_, nth) => (nth === 0 ? failure : [words("better")]));
    const fired: string[] = [];
    const fire = async (event: string) => {
      fired.push(event);
      return { context: [], messages: [], errors: [] };
    };
    life.agent.tell("begin");
    await attended(all, "alice", life, { now, hooks: { fire } });
    expect(await all.leadHeard(2)).toEqual([
      { text: "My turn ended before its work was done: model_error (invalid): no credit" },
      notice,
    ]);
    expect(fired).toEqual([]);
    await all.say("alice", "again");
    expect((await all.leadHeard(3))[2]).toEqual({ ...notice, ...result("better") });
    expect(fired).toEqual(["TeammateIdle"]);
  });

  test("[ATP-MEM-014] [TEAM-13] who runs in a pane is active while it works and not while it is idle; in the lead's process it never says", async () => {
    const all = await crew(revision, "alice");
    const active = async () => (await all.team.config()).value?.members[1]?.isActive;
    const seen: unknown[] = [];
    const { config } = layoutOf(all.root).team(all.team.name);
    const alice = () =>
      member(all, "alice", (_, nth) => {
        seen.push(JSON.parse(readFileSync(config, "utf8")).members[1].isActive);
        return answer(_, nth);
      });
    await all.team.updateMember("alice", { tmuxPaneId: "in-process", backendType: "in-process" });
    const { session } = await alice();
    const ending = new AbortController();
    const attending = session.attendTeam(ending.signal);
    const over = (async () => {
      for await (const _ of attending);
    })();
    await all.say("alice", "one");
    await all.leadHeard(1);
    ending.abort("shutdown");
    await over;
    await session.close();
    expect([...seen, await active()]).toEqual([undefined, undefined]);

    await all.team.updateMember("alice", { tmuxPaneId: "%1", backendType: "tmux" });
    atWork(await alice());
    const inactive = () => until(all.team, async () => ((await active()) === false ? true : undefined));
    await inactive();
    await all.say("alice", "two");
    await all.leadHeard(3);
    await inactive();
    expect(seen).toEqual([undefined, true]);
  });

  test("whoever was killed before the lead was told tells it when it is back", async () => {
    const { all, life } = await start();
    life.agent.tell("begin");
    for await (const _ of life.agent.run());
    await life.die();
    const again = await born(all, "alice", answer);
    const { stop } = await attended(all, "alice", again, { now });
    expect(await all.leadHeard(1)).toEqual([{ ...notice, ...result("answer 1") }]);
    expect((await stop())?.why).toBe("completed");
    expect(again.heard()).toEqual(["begin", "answer 1"]);
  });
});

describe("hooks", () => {
  const start = async (hooks: Parameters<typeof hooked>[0]) => {
    const all = await crew("2026-11", "alice");
    const life = await born(all, "alice", answer);
    life.agent.tell("begin");
    return { all, life, hooks: hooked(hooks) };
  };

  test("[HOOK-09] a hook of TeammateIdle that ends with 2 keeps the teammate working, with its words as the next input", async () => {
    const once = 'input=$(cat); test -f seen && exit 0; echo "$input" > seen; echo "run the tests" >&2; exit 2';
    const { all, life, hooks } = await start({ TeammateIdle: commands(once) });
    await attended(all, "alice", life, { hooks });
    expect(await all.leadHeard(1)).toMatchObject([{ result: "answer 2" }]);
    expect(life.heard()).toEqual(["begin", "answer 1", "run the tests", "answer 2"]);
    const told = JSON.parse(readFileSync(join(hooks.cwd, "seen"), "utf8"));
    expect(told).toMatchObject({ hook_event_name: "TeammateIdle", teammate_name: "alice", team_name: "crew" });
  });

  test("a hook that says `continue: false` ends the teammate, with no notice", async () => {
    const { all, life, hooks } = await start({
      TeammateIdle: commands(`echo '{"continue": false, "stopReason": "enough", "systemMessage": "ended"}'`),
    });
    const { over, shown } = await attended(all, "alice", life, { hooks });
    expect(await over).toMatchObject({ why: "completed", text: "answer 1" });
    expect(await waitingFor(all.team, "team-lead")).toEqual([]);
    expect(shown).toEqual(["ended"]);
  });

  test("a hook that never lets go is not heard for ever", async () => {
    const { all, life, hooks } = await start({ TeammateIdle: commands("echo more >&2; exit 2") });
    await attended(all, "alice", life, { hooks });
    expect(await all.leadHeard(1)).toMatchObject([{ result: "answer 9" }]);
  });

  test("what it leaves behind is looked at before the hooks, and can keep it working", async () => {
    const { all, life, hooks } = await start({ TeammateIdle: commands("echo idle >> fired") });
    const left = ["finish task 1"];
    await attended(all, "alice", life, { hooks, beforeIdle: async () => left.shift() });
    await all.leadHeard(1);
    expect(life.heard()).toEqual(["begin", "answer 1", "finish task 1", "answer 2"]);
    expect(readFileSync(join(hooks.cwd, "fired"), "utf8")).toBe("idle\n");
  });
});

describe("an end", () => {
  test("in the middle of a turn is the turn's end as well, and nobody is told", async () => {
    const all = await crew("2026-11", "alice");
    const ending = new AbortController();
    const life = await born(all, "alice", (_, nth) => {
      ending.abort("shutdown");
      return answer(_, nth);
    });
    life.agent.tell("begin");
    const { over } = await attended(all, "alice", life, { signal: ending.signal });
    expect(await over).toMatchObject({ isOk: false, why: "aborted", reason: "shutdown" });
    expect(await waitingFor(all.team, "team-lead")).toEqual([]);
  });

  test("before the first turn leaves nothing behind", async () => {
    const all = await crew("2026-11", "alice");
    await all.team.updateMember("alice", { tmuxPaneId: "%1", backendType: "tmux" });
    const { stop } = await attended(all, "alice", await born(all, "alice", answer));
    expect(await stop()).toBeUndefined();
    expect((await all.team.config()).value?.members[1]?.isActive).toBe(false);
    expect(await waitingFor(all.team, "team-lead")).toEqual([]);
  });
});

test("words of the process wake it, and those for others do not", async () => {
  const all = await crew("2026-11", "alice");
  const life = await born(all, "alice", answer);
  let runs = 0;
  const run: typeof life.agent.run = (signal) => {
    runs += 1;
    return life.agent.run(signal);
  };
  await attended(all, "alice", life, { agent: { ...life.agent, run } });
  life.agent.tell("one");
  await all.leadHeard(1);
  life.agent.tell("for another", { agent: "other" });
  await all.say("alice", "two");
  await all.leadHeard(2);
  expect(runs).toBeLessThanOrEqual(3);
  expect(life.heard()).toEqual(["one", "answer 1", mail("two"), "answer 2"]);
});

test("a wake that brings nothing is not the end of a turn", async () => {
  const all = await crew("2026-11", "alice");
  const life = await born(all, "alice", answer);
  const wakes = [Promise.resolve(), Promise.resolve()];
  const arrival = (signal: AbortSignal) => wakes.shift() ?? life.arrival(signal);
  life.agent.tell("begin");
  await attended(all, "alice", life, { member: { ...life.member, arrival } });
  await all.leadHeard(1);
  await all.say("alice", "two");
  expect(await all.leadHeard(2)).toMatchObject([{ result: "answer 1" }, { result: "answer 2" }]);
});

test("a lead of any name is told", async () => {
  const all = await crewLedBy("captain", "2026-02", "alice");
  const life = await born(all, "alice", answer);
  life.agent.tell("begin");
  await attended(all, "alice", life);
  expect(await all.leadHeard(1)).toHaveLength(1);
});

test("[RUNNER-03] teammates share a process and a team, and neither sees what the other was told", async () => {
  const all = await crew("2026-11", "alice", "bob");
  const lives = [await born(all, "alice", answer), await born(all, "bob", answer)] as const;
  await attended(all, "alice", lives[0]);
  await attended(all, "bob", lives[1]);
  await Promise.all([all.say("alice", "for alice"), all.say("bob", "for bob")]);
  await all.leadHeard(2);
  expect(lives.map(({ heard }) => heard())).toEqual([
    [mail("for alice"), "answer 1"],
    [mail("for bob"), "answer 1"],
  ]);
});
