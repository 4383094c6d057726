import { execFileSync } from "node:child_process";
import { type MessagesRequest, toolUse } from "@troupe/fake-anthropic";
import { expect, test } from "vitest";
import { untilSeen } from "../../scripts/awaited.ts";
import { toldTo, usedIn } from "../led-team.ts";
import { describeWithServer } from "../postgres/suite.ts";
import { processesOf } from "../processes.ts";
import { describeWith } from "../require.ts";
import { openStage } from "./stage.ts";

/** Reports at each start, which says so, and waits. */
function reporter(asked: MessagesRequest) {
  const words = toldTo(asked).includes("You were started before") ? "I am here again" : "I am here";
  const report = { to: "team-lead", summary: "a word", message: words };
  return usedIn(asked).includes("SendMessage") ? "I wait." : [toolUse("SendMessage", report)];
}

await describeWithServer("a host of other kinds", (server) => {
  describeWith("tmux", "with panes of tmux", () => {
    test("runs each teammate in a pane that its machine can look at, which goes with it", async () => {
      const stage = await openStage(await server().newPlace(), reporter, 1);
      const { json } = stage;
      await json("store-migrate", "store", "migrate");
      const host = await stage.host(0, "--backend", "tmux", "--lease", "600");
      const panes = () => {
        try {
          const env = { PATH: process.env["PATH"] ?? "", HOME: host.home, TMUX_TMPDIR: host.home };
          const format = ["list-panes", "-a", "-F", "#{pane_title}"];
          return execFileSync("tmux", ["-L", "troupe", ...format], { env, encoding: "utf8", stdio: "pipe" });
        } catch {
          return "";
        }
      };
      await json("team-create", "team", "create", "crew");
      await json("spawn", "spawn", "crew", "ann", "--prompt", "report", "--host", "backend:tmux");
      const { hosts } = await json("host-list", "host", "list");
      expect(hosts).toMatchObject([{ labels: expect.arrayContaining(["backend:tmux"]), teammates: [{ name: "ann" }] }]);
      expect(panes()).toContain("ann");
      await untilSeen("the report", async () => (await stage.ran(["inbox", "crew"])).stdout.includes("I am here"));
      await json("shutdown", "shutdown", "crew", "ann", "--wait", "0", "--force");
      await host.until("ended", "ann");
      expect(panes()).toBe("");
    });
  });

  test("takes over a teammate of a team of 2026-11 when the lease of the one before has ended by itself, which hears of it when it goes on", async () => {
    const stage = await openStage(await server().newPlace(), reporter, 2);
    const { json, ran } = stage;
    await json("store-migrate", "store", "migrate");
    await json("team-create", "team", "create", "crew", "--revision", "2026-11");
    const first = await stage.host(0, "--lease", "2");
    await json("spawn", "spawn", "crew", "ann", "--prompt", "report", "--backend", "host");
    await untilSeen("the report", async () => (await ran(["inbox", "crew"])).stdout.includes("I am here"));
    first.signal("SIGSTOP");
    const second = await stage.host(1, "--lease", "600");
    const { epoch } = await second.until("started", "ann");
    expect(epoch).toBe("2");
    await untilSeen("its second report", async () => (await ran(["inbox", "crew"])).stdout.includes("I am here again"));
    const [, ann] = (await json("team-show", "team", "show", "crew")).members;
    expect(ann).toMatchObject({ name: "ann", host: { name: second.role, isHeard: true } });
    // It rests when it goes on, and nothing but its store tells it that it is over.
    first.signal("SIGCONT", "teammates");
    const running = () =>
      processesOf("--agent-name\0ann\0").filter((pid) => processesOf(`${first.home}/.claude`).includes(pid));
    await untilSeen("the end of the earlier ann", () => running().length === 0);
    first.signal("SIGCONT");
    await first.until("late");
    const refused = "ann of crew does nothing any more as epoch 1";
    expect((await first.until("ended", "ann")).detail).toContain(refused);
  });
});
