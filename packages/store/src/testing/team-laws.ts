import assert from "node:assert/strict";
import { codeOf, keysOf, mailOf, mate, numbers, outcomesOf, type StoreLaw, textsOf } from "./law.ts";

export const teamLaws: readonly StoreLaw[] = [
  {
    name: "of several that create a team of one name, one creates it",
    async holds({ stores, draft }) {
      const made = numbers(4).map((n) =>
        (stores[n % 2] ?? stores[0]).createTeam({ ...draft, name: "next", leadSessionId: `session ${n}` }),
      );
      assert.deepEqual(await outcomesOf(made), { done: 1, codes: Array(3).fill("team_exists") });
      assert.equal(await codeOf(stores[1].createTeam({ ...draft, leadSessionId: "another" })), "team_exists");
      assert.equal(await codeOf(stores[1].createTeam({ ...draft, name: "third" })), "session_leading");
      assert.deepEqual(await stores[1].listTeams(), ["crew", "next"]);
    },
  },
  {
    name: "all who join at once are in the team, the first eight in colours of their own",
    async holds({ team, other }) {
      const names = numbers(12).map((n) => `mate-${n}`);
      await Promise.all(names.map((name, n) => (n % 2 ? team : other).join(mate(name))));
      const { value } = await other.config();
      const joined = (value?.members ?? []).map(({ name }) => name);
      assert.deepEqual([...joined].sort(), ["team-lead", "alice", "bob", ...names].sort());
      const colors = (value?.members ?? []).slice(1, 9).map(({ color }) => color);
      assert.equal(new Set(colors).size, 8);
    },
  },
  {
    name: "of several that join under one name in any spelling, one is in the team",
    async holds({ team, other }) {
      const joins = ["carol", "Carol", "CAROL"].map((name, n) => (n % 2 ? team : other).join(mate(name)));
      assert.deepEqual(await outcomesOf(joins), { done: 1, codes: ["name_taken", "name_taken"] });
      assert.equal((await team.config()).value?.members.length, 4);
    },
  },
  {
    name: "of changes of different members at once none is lost",
    async holds({ team, other }) {
      await Promise.all([
        team.updateMember("alice", { isActive: true }),
        other.updateMember("bob", { isActive: false }),
        other.join(mate("carol")),
      ]);
      const found = (await team.config()).value?.members.map(({ name, isActive }) => [name, isActive]);
      assert.deepEqual(found, [
        ["team-lead", undefined],
        ["alice", true],
        ["bob", false],
        ["carol", undefined],
      ]);
    },
  },
  {
    name: "a member that left acts no more and is sent nothing, and the lead does not leave",
    async holds({ team, other }) {
      const lead = await other.as("team-lead");
      assert.deepEqual([await team.leave("bob"), await other.leave("bob")], [true, false]);
      assert.equal(await codeOf(other.as("bob")), "member_unknown");
      assert.equal(await codeOf(lead.send("bob", { text: "still there?" })), "recipient_unknown");
      assert.equal(await codeOf(team.leave("team-lead")), "lead_fixed");
    },
  },
  {
    name: "a team ends once its teammates are gone or that is overridden, and its handles bring nothing back",
    async holds({ stores, team, other, draft }) {
      const lead = await other.as("team-lead");
      assert.equal(await codeOf(stores[0].deleteTeam("crew")), "team_active");
      await stores[0].deleteTeam("crew", { evenIfActive: true });
      assert.equal(await stores[1].openTeam("crew"), undefined);
      assert.equal(await codeOf(lead.send("alice", { text: "hello" })), "team_unknown");
      assert.notEqual(await codeOf(team.join(mate("carol"))), "nothing");
      assert.deepEqual(await stores[1].listTeams(), []);
      const again = await stores[1].createTeam(draft);
      assert.deepEqual((await again.config()).value?.members.length, 1);
    },
  },
  {
    name: "an observer sees members, mail and tasks, and an unchanged part as the very same object",
    async holds({ stores, team }) {
      const onlook = stores[1].onlook();
      assert.equal((await onlook.team("nobody")).found, undefined);
      await (await team.as("bob")).send("alice", { text: "hello" });
      const [one, two] = [
        await team.tasks.create({ subject: "one", description: "" }),
        await team.tasks.create({ subject: "two", description: "" }),
      ];
      await team.tasks.update(two.id, { addBlockedBy: [one.id] });
      const { found } = await onlook.team("crew", { isPatient: true });
      assert.deepEqual(
        found?.config?.members.map(({ name }) => name),
        ["team-lead", "alice", "bob"],
      );
      assert.deepEqual(
        found?.mail.map(({ agent, messages }) => [agent, textsOf(messages)]),
        [["alice", ["hello"]]],
      );
      assert.deepEqual(
        found?.tasks.map(({ task, openBlockers }) => [task.id, openBlockers]),
        [
          [one.id, []],
          [two.id, [one.id]],
        ],
      );
      assert.deepEqual(keysOf(found?.mail[0]?.messages ?? []), keysOf(await mailOf(team, "alice")));
      assert.deepEqual(
        found?.mail.map(({ entries }) => entries),
        found?.mail.map(({ messages }) => messages.map(({ entry }) => entry)),
      );
      await team.tasks.complete(one.id);
      const after = (await onlook.team("crew", { isPatient: true })).found;
      assert.equal(after?.mail[0]?.messages, found?.mail[0]?.messages);
      assert.deepEqual(after?.tasks[1]?.openBlockers, []);
      await stores[0].tasksOfSession("session-1").create({ subject: "alone", description: "" });
      const all = (await onlook.all({ isPatient: true })).found;
      assert.deepEqual([all.teams.map((one) => one.team), all.lists.map((one) => one.team)], [["crew"], ["session-1"]]);
    },
  },
  {
    name: "plans are kept by name",
    async holds({ stores }) {
      assert.equal(await stores[0].readPlan("calm-sorting-heron"), undefined);
      await stores[0].savePlan("calm-sorting-heron", "First the grammar.");
      assert.equal(await stores[1].readPlan("calm-sorting-heron"), "First the grammar.");
    },
  },
];
