import { existsSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { troupeTeammate } from "@troupe/backends";
import { processBackend } from "@troupe/backends/process";
import { startFakeAnthropic, toolUse } from "@troupe/fake-anthropic";
import { layoutOf, revisions } from "@troupe/protocol";
import { shutdownRequestBody } from "@troupe/protocol/tools";
import { openFileStore } from "@troupe/store/files";
import { createSpawner, untilReady } from "@troupe/team";
import { expect, onTestFinished, test } from "vitest";
import { awaited, untilSeen } from "../../scripts/awaited.ts";
import { main, openTroupe } from "../command-line.ts";

const { home } = openTroupe();
const { signal } = new AbortController();

test.each(revisions)(
  "[ATP-BCK-008] [TEAM-16] in %s real teammates run as processes without a screen: two that are started at once are both in the roster and know their colour, one works, is taken over by the next lead, agrees to end or is killed, and nothing of it is left",
  async (revision) => {
    const place = mkdtempSync(join(home, "team-"));
    const root = join(place, ".claude");
    const records = join(root, "troupe", "backends");
    const agreement = (id: string) => ({ type: "shutdown_response", request_id: id, approve: true });
    const fake = await startFakeAnthropic({
      rule({ messages }) {
        const last = JSON.stringify(messages.at(-1));
        if (last.includes("tool_result")) return "Goodbye.";
        if (last.includes("shutdown_request"))
          return [toolUse("SendMessage", { to: "team-lead", message: agreement("shutdown-1@ann") })];
        return last.includes("second") ? "I did the second." : "I did the first.";
      },
    });
    onTestFinished(() => fake.close());
    const at = { cwd: place, createdAt: Date.now() };
    const store = openFileStore({ root });
    const team = await store.createTeam({ name: "crew", leadSessionId: "s", leadModel: "m", revision, ...at });
    const lead = await team.as("team-lead");
    const environment = {
      PATH: process.env["PATH"] ?? "",
      HOME: home,
      TMPDIR: place,
      ANTHROPIC_API_KEY: "of-no-use",
      ANTHROPIC_BASE_URL: fake.url,
    };
    const open = () => {
      const backend = processBackend({
        launch: troupeTeammate({ command: [process.execPath, main], environment, root }),
        ready: (spec, over) => untilReady(team, spec.name, over),
        readyMs: 60_000,
        records,
        warn: (message) => expect(message).toBe("nothing to warn of"),
      });
      return {
        backend,
        spawner: createSpawner({ team, self: lead, backends: [backend], now: () => new Date(), graceMs: 5_000 }),
      };
    };
    const heard = (what: string) =>
      untilSeen(`${what} in the lead's inbox`, async () =>
        (await (await team.mail("team-lead")).page()).value?.some((message) => JSON.stringify(message).includes(what)),
      );
    const asked = (words: string) =>
      untilSeen(`a request with ${words}`, () =>
        fake.requests.some(({ json }) => JSON.stringify(json).includes(words)),
      );
    const specOf = (name: string) => ({
      team: "crew",
      name,
      revision,
      leadSessionId: "s",
      agentType: "general-purpose",
      model: "haiku",
      prompt: "p",
      mode: "default" as const,
      planModeRequired: false,
      cwd: place,
      environment: {},
    });

    const first = open();
    const spawned = await Promise.all(
      [first, open()].map(({ spawner }, at) => spawner.spawn(specOf(at === 0 ? "ann" : "bob"), "process", signal)),
    );
    const members = (await team.config()).value?.members ?? [];
    for (const {
      one: { name, process: mate },
    } of spawned) {
      const { color } = members.find((one) => one.name === name) ?? {};
      expect(readFileSync(`/proc/${mate?.pid}/cmdline`, "utf8")).toContain(`\0--agent-color\0${color}\0`);
    }
    expect(members.map(({ color }) => color).toSorted()).toEqual(["blue", "green", undefined]);
    const entry = members.find(({ name }) => name === "ann");
    expect(entry).not.toHaveProperty("backendType");
    await lead.send("ann", { text: "Do the first.", summary: "first" });
    await asked("Do the first.");
    await heard("idle_notification");

    const { backend, spawner } = open();
    const { adopted: found, gone } = await spawner.recover();
    const adopted = found.map(({ one }) => one);
    expect([adopted.map(({ name }) => name).sort(), gone]).toEqual([["ann", "bob"], []]);
    await lead.send("ann", { text: "Do the second.", summary: "second" });
    await asked("Do the second.");
    const [ann, bob] = ["ann", "bob"].map((name) => adopted.find((one) => one.name === name));
    if (!(ann?.process && bob?.process)) throw new Error("ann and bob were not both taken over");
    const endOf = async (one: typeof ann) => {
      let last: unknown;
      for await (const seen of backend.observe(one, signal)) last = seen;
      return last;
    };

    const ends = [endOf(ann), endOf(bob)];
    const request = { requestId: "shutdown-1@ann", from: "team-lead", timestamp: new Date().toISOString() };
    await lead.send("ann", { body: shutdownRequestBody({ reason: "done" }, request) });
    process.kill(bob.process.pid, "SIGKILL");
    for (const end of ends) expect(await awaited("the end", end)).toMatchObject({ kind: "ended" });
    await heard("shutdown_approved");
    expect(await backend.list({ team: "crew", teamCreatedAt: at.createdAt })).toEqual([]);
    expect(readdirSync(records)).toEqual([]);
    expect(existsSync(layoutOf(root).team("crew").config)).toBe(true);
  },
);
