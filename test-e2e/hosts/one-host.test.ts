import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type MessagesRequest, toolUse } from "@troupe/fake-anthropic";
import { expect, test } from "vitest";
import { untilSeen } from "../../scripts/awaited.ts";
import { toldTo, usedIn } from "../led-team.ts";
import { describeWithServer } from "../postgres/suite.ts";
import { processesOf } from "../processes.ts";
import { openStage } from "./stage.ts";

/** Commits a file, reports, and agrees to end. */
function worker(asked: MessagesRequest) {
  const used = usedIn(asked);
  const [, id] = /request_?[iI]d[^a-z]*(shutdown-\d+@ann)/.exec(JSON.stringify(asked.messages)) ?? [];
  const report = (message: object | string) => [
    toolUse("SendMessage", { to: "team-lead", summary: "a word", message }),
  ];
  if (!used.includes("Bash"))
    return [toolUse("Bash", { command: "echo one > part.txt && git add . && git commit -qm part" })];
  if (!used.includes("SendMessage")) return report("part A is finished");
  if (id !== undefined && used.length === 2)
    return report({ type: "shutdown_response", request_id: id, approve: true });
  return "I have nothing to do.";
}

await describeWithServer("a host", (server) => {
  test("runs a teammate of a lead elsewhere on the commit that was asked for, with a key of its own, and its commits come back", async () => {
    const stage = await openStage(await server().newPlace(), worker, 1);
    const { json, ran, git, project, fake } = stage;
    await json("store-migrate", "store", "migrate");
    for (const wrong of [
      ["--slots", "x"],
      ["--lease", "0"],
    ]) {
      const refused = await ran(["host", ...wrong]);
      expect(refused).toMatchObject({ status: 2, stderr: expect.stringContaining(`${wrong[0]} needs a number`) });
    }
    const place = ["--backend", "process", "--model", "haiku", "--slots", "3", "--lease", "600", "--dir", "work"];
    const host = await stage.host(0, ...place);
    expect(await json("host-list", "host", "list")).toMatchObject({
      hosts: [{ host: host.role, isHeard: true, used: 0, slots: 3, teammates: [] }],
      waiting: [],
    });
    await json("team-create", "team", "create", "crew");
    const spawned = await json(
      "spawn",
      ...["spawn", "crew", "ann", "--prompt", "do part A", "--host", "machine-0"],
      ...["--permission-mode", "bypassPermissions"],
    );
    expect(spawned).toMatchObject({ name: "ann", backend: "host:machine-0", pid: null });
    await host.until("pushed", "ann");
    const { hosts } = await json("host-list", "host", "list");
    const branch = "troupe/crew/ann-1";
    expect(hosts).toMatchObject([
      { used: 1, teammates: [{ team: "crew", name: "ann", state: "running", epoch: "1", branch }] },
    ]);
    await untilSeen("the report", async () => (await ran(["inbox", "crew"])).stdout.includes("part A is finished"));
    expect(toldTo(fake.requests[0]?.json as MessagesRequest)).toContain("do part A");
    expect((await json("shutdown", "shutdown", "crew", "ann")).members).toMatchObject([{ outcome: "ended" }]);
    await host.until("ended", "ann");
    git(project, "fetch", "--quiet", "origin");
    git(project, "merge", "--quiet", `origin/${branch}`);
    expect(readFileSync(join(project, "part.txt"), "utf8")).toBe("one\n");
    expect(processesOf("--agent-name").filter((pid) => processesOf(host.home).includes(pid))).toEqual([]);
    host.signal("SIGTERM");
    expect(await host.exited).toBe(143);
    expect((await json("host-list", "host", "list")).hosts).toMatchObject([{ isHeard: false, used: 0 }]);
    expect(readdirSync(join(host.home, "work", host.role)).sort()).toEqual(["backends", "briefs", "repositories"]);
    await json("host-remove", "host", "remove", host.role);
    expect((await ran(["host", "remove", host.role])).stderr).toContain("troupe host list shows all");
    expect(
      (await ran(["spawn", "crew", "bob", "--prompt", "x", "--host", "gpu", "--backend", "tmux"])).stderr,
    ).toContain("leave out one of --host and --backend tmux");
  });
});
