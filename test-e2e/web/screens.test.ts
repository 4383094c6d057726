import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { untilSeen } from "../../scripts/awaited.ts";
import { describeWith } from "../require.ts";
import { openBrowser, openTab } from "./chromium.ts";
import { askPermission, askPlan, makeTeam, openStage, script } from "./fixture.ts";

const stage = await openStage();
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What axe finds wrong; its own text is put in by the debugger, so no policy is in its way. */
async function violations(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe);
  const found = await page.evaluate<{ id: string; nodes: { html: string }[] }[]>(
    "axe.run().then((run) => run.violations)",
  );
  return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(" | ")}`);
}

const screens: readonly (readonly [name: string, hash: string, says: string])[] = [
  ["now", "#/now", "wants a plan approved"],
  ["board", "#/team/crew/board", "Write the release note"],
  ["a task", "#/team/crew/board?pick=3", "Holds up"],
  ["dependencies", "#/team/crew/board?pick=graph", "The longest open chain: #2 → #3 → #4 → #5"],
  ["requests", "#/team/crew/requests", "Write the tests first"],
  ["threads", "#/team/crew/threads/ann/bob", "The grammar is read."],
  ["timeline", "#/team/crew/timeline", "hands in a plan"],
  ["cost", "#/team/crew/cost", "No transcript of a member is on this machine."],
  ["members", "#/team/crew/members", "4 members"],
  ["member", "#/team/crew/member/bob", "as it recorded"],
  ["doctor", "#/doctor", "mv -n"],
  ["a team whose config is damaged", "#/team/torn/members", "No member that can be read."],
  ["a team of a real client", "#/team/parser-team/board", "Fuzz the parser"],
  ["a newer team of a real client", "#/team/session-b7f5edcc/members", "alice"],
  ["a team between the revisions", "#/team/halfway/board", "Files of this team are of both revisions"],
  ["a team that is being deleted", "#/team/halted/board", "There is no team halted"],
  ["a member that has left", "#/team/left/member/cleo", "cleo is in the team no more"],
  ["a member that is not there", "#/team/crew/member/nobody", "There is no nobody in crew."],
  ["a team that is not there", "#/team/gone/board", "There is no team gone"],
];

describeWith("chromium", "the screens of the page", () => {
  const browser = openBrowser();
  beforeAll(async () => {
    stage.addSample();
    mkdirSync(stage.path("teams/torn"), { recursive: true });
    writeFileSync(stage.path("teams/torn/config.json"), "{ torn");
    await makeTeam(stage.root, "halfway");
    const typed = { from: "ann", type: "message", text: "x", timestamp: new Date().toISOString(), read: false };
    writeFileSync(stage.path("teams/halfway/inboxes/bob.json"), JSON.stringify([typed]));
    await makeTeam(stage.root, "halted");
    rmSync(stage.path("teams/halted/config.json"));
    const left = await makeTeam(stage.root, "left");
    await left.leave("cleo");
    await (await left.as("team-lead")).record({ kind: "stopped", name: "cleo", detail: "her work is done" });
    const team = await makeTeam(stage.root);
    await askPlan(team);
    await askPermission(team);
  });

  test("each is shown light and dark from 360 to 1920 columns, runs nothing that it shows, asks nobody else, and axe finds nothing wrong", async () => {
    const { url, origin } = await stage.serve("--write", "--person", "Maria");
    const shots = process.env["TROUPE_SHOTS"];
    if (shots) mkdirSync(shots, { recursive: true });
    for (const [width, colorScheme] of [
      [1280, "light"],
      [360, "dark"],
      ...(shots
        ? ([
            [360, "light"],
            [1280, "dark"],
            [1920, "light"],
            [1920, "dark"],
          ] as const)
        : []),
    ] as const) {
      const { page, complaints, asked, context } = await openTab(await browser(), { width, colorScheme });
      await page.goto(url);
      for (const [name, hash, says] of screens) {
        const where = `${name} at ${width} ${colorScheme}`;
        await page.goto(`${origin}/${hash}`);
        await page.getByText(says, { exact: false }).first().waitFor();
        expect.soft(await violations(page), where).toEqual([]);
        expect.soft(await complaints(), where).toEqual([]);
        const size = await page.evaluate<[number, number, string]>(
          "[document.documentElement.scrollWidth, innerWidth, document.title]",
        );
        expect.soft(size[0], `${where}: no wider than its window`).toBeLessThanOrEqual(size[1]);
        expect.soft(size[2], where).not.toBe("ran");
        if (name === "a team between the revisions")
          expect.soft(await page.getByRole("button", { name: "Create" }).count(), where).toBe(0);
        if (shots)
          writeFileSync(
            join(shots, `${name.replaceAll(" ", "-")}-${width}-${colorScheme}.png`),
            await page.screenshot(),
          );
      }
      expect(asked.filter((one) => !one.startsWith(`${origin}/`))).toEqual([]);
      await context.close();
    }
  });

  test("where there is no team yet, the page says how one comes to be, and shows the first that does", async () => {
    const root = mkdtempSync(join(stage.home, "empty-"));
    const { url } = await stage.serve("--root", root);
    const { page } = await openTab(await browser());
    await page.goto(url);
    await page.getByText("There is no team yet: troupe team create creates one").waitFor();
    stage.told("team", "create", "first", "--root", root);
    await page.getByRole("region", { name: "Team first" }).waitFor();
  });

  test("what others write is shown as they wrote it: scripts, names and all", async () => {
    const { url, origin } = await stage.serve();
    const { page, complaints } = await openTab(await browser());
    await page.goto(url);
    await page.goto(`${origin}/#/team/crew/threads/ann/bob`);
    expect(await page.locator(".message .text").first().textContent()).toContain(script);
    await page.goto(`${origin}/#/team/crew/requests`);
    expect(await page.locator(".diff .comes").first().textContent()).toContain(script);
    expect(await page.locator("main img, main script").count()).toBe(0);
    expect(await complaints()).toEqual([]);
  });

  test("the token is out of the address at once, and without it the page shows nothing", async () => {
    const { url, origin } = await stage.serve();
    const { page } = await openTab(await browser());
    await page.goto(url);
    await page.getByRole("heading", { name: /^Now/ }).waitFor();
    expect(page.url()).toBe(`${origin}/#/now`);
    expect(await page.evaluate("document.cookie")).toBe("");
    const stranger = await openTab(await browser());
    await stranger.page.goto(`${origin}/#/team/crew/board`);
    await stranger.page.getByText("Open the address that").waitFor();
    await stranger.page.goto(`${origin}/#${"x".repeat(43)}`);
    await stranger.page.reload();
    await stranger.page.getByText("Open the address that").waitFor();
  });

  test("what is searched for and chosen stands in the address, which shows the same in another tab", async () => {
    const { url, origin } = await stage.serve();
    const { page, context } = await openTab(await browser());
    await page.goto(url);
    await page.goto(`${origin}/#/team/crew/board`);
    await page.getByText("Publish it").waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("release");
    await untilSeen("one card", async () => (await page.locator(".card").count()) === 1);
    await page.locator(".card").click();
    const other = await context.newPage();
    await other.goto(page.url());
    await other.locator('.card[aria-pressed="true"]').waitFor();
    expect(await other.locator(".card").count()).toBe(1);
    expect(await other.getByRole("searchbox").inputValue()).toBe("release");
  });
});
