import { readFileSync } from "node:fs";
import { join } from "node:path";
import { thisProcess } from "@troupe/store/files";
import { expect, test } from "vitest";
import { untilSeen } from "../../scripts/awaited.ts";
import { ended } from "../command-line.ts";
import { describeWithServer } from "../postgres/suite.ts";
import { openStage } from "./stage.ts";

const readme = readFileSync(join(import.meta.dirname, "../../apps/cli/README.md"), "utf8");
const [, shown = ""] = /## Teammates on other machines\n.*?```console\n(.*?)```/s.exec(readme) ?? [];
/** The commands of the page, each as its words. */
const page = [...shown.matchAll(/^\$ troupe (.*?)(?: +#.*)?$/gm)].map(([, line = ""]) =>
  [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? ""),
);

await describeWithServer("a person with teammates on hosts", (server) => {
  test("sees where each runs and what no host can take, and ends by force what does not answer, with its team or without", async () => {
    const place = await server().newPlace();
    const stage = await openStage(place, () => "I have nothing to do.", 1);
    const { json, ran, begin } = stage;
    await json("store-migrate", "store", "migrate");
    const host = await stage.host(0, "--lease", "600");
    await json("team-create", "team", "create", "crew");
    const spawn = (name: string, label: string) => ["spawn", "crew", name, "--prompt", "wait", "--host", label];
    const shutdown = (name: string) => json("shutdown", "shutdown", "crew", name, "--wait", "0", "--force");
    const seen = new Map<string, string>();
    for (const words of page.filter(([name, what]) => name !== "host" || what === "list")) {
      const names: Readonly<Record<string, string>> = { build_7: host.role, "parser-team": "crew" };
      const { status, stdout, stderr } = await ran(words.map((word) => names[word] ?? word));
      expect(status, `${words.join(" ")}: ${stderr}`).toBe(0);
      seen.set(words[0] ?? "", stdout);
      if (words[0] === "spawn")
        expect((await json("team-show", "team", "show", "crew")).members).toMatchObject([
          { host: null },
          { name: "carol", host: { name: host.role, state: "running", isHeard: true } },
        ]);
    }
    expect([...seen.keys()]).toEqual(["host", "spawn", "show", "shutdown", "doctor"]);
    expect(seen.get("show")).toContain(`host ${host.role}`);
    expect(seen.get("shutdown")).toContain("carol was ended by force");

    const late = begin(spawn("bob", "gpu"));
    late.stdin.end();
    const refused = ended(late);
    const doctor = async () => {
      const { stdout } = await ran(["doctor", "--json"]);
      return JSON.parse(stdout).findings as readonly { kind: string; message: string; remedy: object }[];
    };
    const waiting = await untilSeen("bob, who waits", async () =>
      (await doctor()).find(({ kind }) => kind === "request_waiting"),
    );
    expect(waiting).toMatchObject({
      message: "bob of crew waits for a host, and no host that is heard of has gpu",
      remedy: { command: "troupe shutdown crew bob --wait 0 --force" },
    });
    expect((await ran(["show", "crew"])).stdout).toContain("waits for a host");
    expect((await shutdown("bob")).members).toMatchObject([{ name: "bob", outcome: "killed" }]);
    expect((await refused).stderr).toContain("it was given up before a host took it");

    await host.until("ended", "carol");
    await json("spawn", ...spawn("cid", host.role));
    expect((await ran(["team", "delete", "crew", "--yes"])).stderr).toContain("cid of crew still runs");

    // Its lead was another process of this machine; who is on a host does not see that.
    host.signal("SIGSTOP");
    const lead = { ...thisProcess(), procStart: "1" };
    await place.run(
      `update team set config = jsonb_set(config::jsonb, '{leadProcess}', '${JSON.stringify(lead)}')::json`,
    );
    expect((await doctor()).find(({ kind }) => kind === "teammate_leaderless")).toMatchObject({
      message: expect.stringContaining(
        `cid of crew runs on ${host.role}, and its lead, process ${lead.pid}, has ended`,
      ),
      remedy: { command: "troupe shutdown crew cid --wait 0 --force" },
    });
    await place.run("update team set config = (config::jsonb - 'leadProcess')::json");
    host.signal("SIGCONT");
    await json("team-delete", "team", "delete", "crew", "--yes", "--force");
    await host.until("ended", "cid");
    expect((await json("host-list", "host", "list")).hosts).toMatchObject([{ used: 0 }]);

    host.signal("SIGKILL");
    await host.exited;
    await place.run("update host set lease_until = now()");
    expect((await doctor()).find(({ kind }) => kind === "host_silent")).toMatchObject({
      isNote: true,
      remedy: { command: `troupe host remove ${host.role}` },
    });
  });
});
