import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { layoutOf, revisions } from "@troupe/protocol";
import { openFileStore, thisProcess } from "@troupe/store/files";
import { askNobody, watchLead } from "@troupe/team";
import { describe, expect, test } from "vitest";
import { words } from "../../test/entries.ts";
import { permissionMail } from "../../test/permission-mail.ts";
import { attended, born, crew } from "../../test/team.ts";

type Ground = { readonly root: string };

const question = { id: "q", call: "u1", tool: "Bash", input: { command: "make" }, reason: "a rule", suggestions: [] };
const isLinux = process.platform === "linux";
const configOf = ({ root }: Ground) => layoutOf(root).team("crew").config;

/** Changes the config as a writer of another make does. */
function rewrite(all: Ground, change: (config: { members: { name: string }[] }) => object): void {
  writeFileSync(configOf(all), JSON.stringify(change(JSON.parse(readFileSync(configOf(all), "utf8")))));
}
const record = (all: Ground, leadProcess: object) => rewrite(all, (config) => ({ ...config, leadProcess }));

/** The record of a process that had this number before this one did. */
const ended = () => ({ ...thisProcess(), procStart: "1" });

const losses: readonly (readonly [string, (all: Ground) => unknown, RegExp])[] = [
  [
    "the team is removed",
    ({ root }) => openFileStore({ root }).deleteTeam("crew", { evenIfActive: true }),
    /^the lead team-lead of crew is gone \(the team has no config\.json any more\): alice ends here; make a team/,
  ],
  [
    "the lead's entry is taken out",
    (all) => rewrite(all, ({ members, ...rest }) => ({ ...rest, members: members.slice(1) })),
    /^the lead team-lead of crew is gone \(config\.json does not list it any more\): alice ends here; make a team/,
  ],
  ...(isLinux
    ? ([
        [
          "the lead's recorded process has ended",
          (all: Ground) => record(all, ended()),
          /^the lead team-lead of crew is gone \(its process \d+, which config\.json records, has ended\): alice ends here; its mail waits/,
        ],
      ] as const)
    : []),
];

describe.each(revisions)("in %s", (revision) => {
  const start = async () => {
    const all = await crew(revision, "alice");
    const life = await born(all, "alice", (_, nth) => [words(`answer ${nth + 1}`)]);
    return { all, life };
  };

  describe.each(losses)("once %s", (_, lose, sentence) => {
    test("a member that is idle ends and says so", async () => {
      const { all, life } = await start();
      const { over, shown } = await attended(all, "alice", life);
      await all.say("alice", "begin");
      await all.leadHeard(1);
      await lose(all);
      expect(await over).toMatchObject({ why: "completed", text: "answer 1" });
      expect(shown).toEqual([expect.stringMatching(sentence)]);
    });

    test("a member whose turn runs ends when that is over, and says so", async () => {
      const { all, life } = await start();
      life.agent.tell("begin");
      const { over, shown } = await attended(all, "alice", life, { beforeIdle: async () => void (await lose(all)) });
      expect(await over).toMatchObject({ why: "completed", text: "answer 1" });
      expect(shown).toEqual([expect.stringMatching(sentence)]);
    });

    test("a question that waits for it is denied, and says why", async () => {
      const mail = await permissionMail(revision);
      const asked = mail.member()(question, new AbortController().signal);
      mail.deafLead();
      await mail.until(() => mail.requests().length === 1);
      await lose(mail);
      expect(await asked).toEqual({ behavior: "deny", message: expect.stringMatching(sentence) });
      expect(mail.late).toEqual([]);
    });

    test("a member begins no turn, and what it was told waits", async () => {
      const { all, life } = await start();
      life.agent.tell("begin");
      const { team } = all;
      const watch = watchLead({ team, self: await team.as("alice"), lead: "team-lead" });
      let lost: Promise<unknown> | undefined;
      const loss = async () => {
        lost ??= (async () => lose(all))();
        await lost;
        return watch.loss();
      };
      const { over, shown } = await attended(all, "alice", life, { leadWatch: { ...watch, loss } });
      expect(await over).toBeUndefined();
      expect(life.heard()).toEqual([]);
      expect(life.agent.queue.waiting()).toHaveLength(1);
      expect(shown).toEqual([expect.stringMatching(sentence)]);
    });
  });

  test("a member that is idle when its store refuses it ends with the reason, though its lead is there", async () => {
    const { all, life } = await start();
    let refuse = (_: Error) => {};
    const attending = new Promise<void>((_, reject) => {
      refuse = reject;
    });
    const { over } = await attended(all, "alice", life, {
      attending: Promise.race([life.attending, attending]),
      onState: async (state) => {
        if (state === "idle") refuse(new Error("alice was started again elsewhere"));
      },
    });
    await all.say("alice", "begin");
    await expect(over).rejects.toThrow("alice was started again elsewhere");
  });

  test("a member whose lead is there, or cannot be judged, goes on", async () => {
    const { all } = await start();
    const { team } = all;
    const { loss } = watchLead({ team, self: await team.as("alice"), lead: "team-lead" });
    const found = [await loss()];
    for (const one of [thisProcess(), { ...ended(), pidSpace: "elsewhere" }, { pid: process.pid }]) {
      record(all, one);
      found.push(await loss());
    }
    const whole = readFileSync(configOf(all), "utf8");
    for (const torn of [whole.slice(0, -40), ""]) {
      writeFileSync(configOf(all), torn);
      found.push(await loss());
    }
    rmSync(configOf(all));
    const meanwhile = loss();
    await new Promise(setImmediate);
    writeFileSync(configOf(all), whole);
    found.push(await meanwhile);
    expect(found).toEqual(Array(7).fill(undefined));
  });

  test("a member beside its lead hears that the team is gone when its config goes, and looks no more once it is told to stop", async () => {
    const { all } = await start();
    const { team } = all;
    const watch = watchLead({ team, self: await team.as("alice"), lead: "team-lead", bridge: askNobody }, 20);
    const [over, stopped] = [new AbortController(), new AbortController()];
    const [gone, left] = [watch.gone(over.signal), watch.gone(stopped.signal)];
    stopped.abort("enough");
    await expect(left).rejects.toBe("enough");
    await openFileStore({ root: all.root }).deleteTeam(team.name, { evenIfActive: true });
    expect(await gone).toContain("has no config.json any more");
  });

  test("a process that the config records and that has ended is not that of a lead that looks itself, or that is in the member's", async () => {
    const { all } = await start();
    const { team } = all;
    const lead = "team-lead";
    record(all, ended());
    expect(await watchLead({ team, self: await team.as(lead), lead }).loss()).toBeUndefined();
    expect(await watchLead({ team, self: await team.as("alice"), lead, bridge: askNobody }).loss()).toBeUndefined();
  });
});
