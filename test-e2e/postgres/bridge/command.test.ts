import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { untilSeen } from "../../../scripts/awaited.ts";
import { openTroupe } from "../../command-line.ts";
import { describeWithServer } from "../suite.ts";

await describeWithServer("troupe bridge", (server) => {
  const { root, told, json, refusal, live, home } = openTroupe();
  const there = join(home, "there");

  test("ties the files of two machines to one team until it is stopped, and the doctor says how far it is", async () => {
    const { url } = await server().newPlace();
    told("store", "migrate", "--store", url);
    told("team", "create", "crew", "--lead", "boss");
    const desk = live("bridge", "--store", url, "--host", "desk");
    onTestFinished(() => void desk.child.kill("SIGKILL"));
    await desk.until((line) => line.startsWith("desk carries crew"));
    const lab = live("bridge", "crew", "--store", url, "--host", "lab", "--root", there);
    onTestFinished(() => void lab.child.kill("SIGKILL"));
    await untilSeen("the team on the other machine", () => textOf(there, "teams/crew/config.json").includes("boss"));
    told("team", "join", "crew", "ann", "--root", there);
    await untilSeen("ann here", () => textOf(root, "teams/crew/config.json").includes("ann"));
    told("send", "crew", "ann", "hello over there");
    await untilSeen("the message there", () =>
      textOf(there, "teams/crew/inboxes/ann.json").includes("hello over there"),
    );
    // A pulse may be of a moment at which the message was on its way.
    await untilSeen("a pulse with nothing unsent", () => json("doctor", ["doctor"]).bridges[0]?.unsent === 0);
    expect(json("doctor", ["doctor"]).bridges).toMatchObject([{ team: "crew", host: "desk", problems: [] }]);
    for (const { child, closed } of [desk, lab]) {
      child.kill("SIGINT");
      expect(await closed).toEqual([130, null]);
    }
    const once = json("bridge", ["bridge", "--once", "--store", url, "--host", "desk"]);
    expect(once).toMatchObject({ event: "carried", teams: [{ team: "crew", unsent: 0, problems: [] }] });
    expect(refusal(2, ["bridge", "--store", url, "--host", "none"])).toContain("cannot name a host");
  });
});

function textOf(root: string, path: string): string {
  try {
    return readFileSync(join(root, path), "utf8");
  } catch {
    return "";
  }
}
