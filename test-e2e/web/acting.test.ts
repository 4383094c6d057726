import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type MessagesRequest, type Rule, startFakeAnthropic, toolUse } from "@troupe/fake-anthropic";
import { expect, onTestFinished, test } from "vitest";
import { awaited, untilSeen } from "../../scripts/awaited.ts";
import { portToKeep } from "../../scripts/port.ts";
import { ended } from "../command-line.ts";
import { usedIn } from "../led-team.ts";
import { describeWith } from "../require.ts";
import { openBrowser, openTab, tabIn } from "./chromium.ts";
import { askPermission, askPlan, makeTeam, openStage } from "./fixture.ts";

const stage = await openStage();
const { root, told, json, begin, troupeBeside } = stage;

/** A model that hands in a plan, and says so once it is approved. */
const planner = (asked: MessagesRequest) => {
  const said = JSON.stringify(asked.messages);
  if (said.includes("[Plan Approved]")) return "I carry it out.";
  const used = usedIn(asked);
  if (used.filter((name) => name === "Write").length > 0)
    return used.at(-1) === "Write" ? [toolUse("ExitPlanMode", {})] : "I wait.";
  // Where the plan is to be written is said by the tool.
  const [path] = /\/[^\s"`]+\/plans\/[\w.-]+\.md/.exec(said) ?? [];
  if (path === undefined) return [toolUse("ExitPlanMode", {})];
  return [toolUse("Write", { file_path: path, content: "Tests first, then code." })];
};

/** A team whose teammate is a process that `troupe spawn` has started. */
async function spawned(team: string, rule: Rule, ...more: readonly string[]) {
  const fake = await startFakeAnthropic({ rule });
  onTestFinished(() => fake.close());
  told("team", "create", team);
  const env = { ANTHROPIC_API_KEY: "of-no-use", ANTHROPIC_BASE_URL: fake.url, TMPDIR: stage.home, TMUX: "" };
  const args = ["spawn", team, "bob", "--prompt", "work", "--model", "haiku", "--backend", "process", ...more];
  // A process of its own, which has ended when somebody looks: nobody else sees bob's end.
  expect(await awaited("bob", ended(begin(args, env)))).toMatchObject({ status: 0 });
  const directory = join(root, "troupe/backends");
  const records = readdirSync(directory)
    .filter((file) => file.endsWith(".json"))
    .map((file) => JSON.parse(readFileSync(join(directory, file), "utf8")));
  const { pid } = records.find((record) => record.team === team).process;
  onTestFinished(async () => {
    await troupeBeside(["team", "delete", team, "--force", "--yes"], { env });
  });
  return { fake, pid: Number(pid) };
}

describeWith("chromium", "a person acts in the page", () => {
  const browser = openBrowser();

  test("a plan of a process is approved by keyboard alone with a note, and the process carries it out", async () => {
    const { fake } = await spawned("planned", planner, "--plan-mode-required");
    const { url } = await stage.serve("--write", "--person", "Maria");
    const { page, complaints } = await openTab(await browser());
    await page.goto(url);
    await page.getByText("wants a plan approved").waitFor();
    // To the first thing that needs a person, into it, to its button; back to the note, and again.
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    // The first page says the first line of the plan as well.
    await page.locator("article:focus", { hasText: "Tests first, then code." }).waitFor();
    await page.keyboard.press("a");
    await page.locator("button:focus").waitFor();
    await page.keyboard.press("Shift+Tab");
    await page.locator("input:focus").waitFor();
    await page.keyboard.type("mind the time");
    await page.keyboard.press("Escape");
    await page.keyboard.press("a");
    await page.keyboard.press("Enter");
    await page.getByText("the plan is approved for bob").waitFor();
    await page.getByText("No member of planned asks for anything.").waitFor();
    await untilSeen("the note", () => fake.requests.some(({ body }) => body.includes("[Note] mind the time")));
    expect(told("log", "planned")).toMatch(/team-lead is told by Maria to approve \S+/);
    expect(await complaints()).toEqual([]);
  });

  test("every screen shows a team of processes: what its member does, says, asks for and costs, by its own records", async () => {
    await spawned("alive", planner, "--plan-mode-required");
    told("task", "create", "alive", "To be done by bob");
    told("send", "alive", "bob", "How far are you?");
    const { url, origin } = await stage.serve();
    const { page, complaints } = await openTab(await browser());
    await page.goto(url);
    const shows = async (hash: string, ...texts: readonly string[]) => {
      await page.goto(`${origin}/#/${hash}`);
      for (const text of texts) await page.locator("main", { hasText: text }).waitFor();
    };
    await shows("now", "bob wants a plan approved");
    await shows("team/alive/board", "To be done by bob");
    await shows("team/alive/members", "bob", "needs you");
    await shows("team/alive/member/bob", "process ", "work", "ExitPlanMode");
    await shows("team/alive/threads/bob/team-lead", "How far are you?");
    await shows("team/alive/requests", "Tests first, then code.");
    await shows("team/alive/timeline", "bob hands in a plan");
    await shows("team/alive/cost", "bob", "All");
    await shows("doctor", "bob");
    expect(await complaints()).toEqual([]);
  });

  test("a process that is killed is told as gone by shape, word and colour, and needs a person", async () => {
    const { pid } = await spawned("killed", () => "I wait.");
    const { url, origin } = await stage.serve();
    const { page } = await openTab(await browser());
    await page.goto(url);
    await page.goto(`${origin}/#/team/killed/members`);
    const row = page.locator("tr", { hasText: "bob" });
    await row.getByText("idle").waitFor();
    process.kill(pid, "SIGKILL");
    await row.getByText("process gone").waitFor();
    const [color, ink] = await page.evaluate<[string, string]>(
      `[getComputedStyle(document.querySelector(".state.lost")).color, getComputedStyle(document.body).color]`,
    );
    expect(color).not.toBe(ink);
    await page.keyboard.press("1");
    await page.getByText("bob runs no more").waitFor();
  });

  test("two tabs agree: what is answered in one is gone from the other, and a second answer is told that it is late", async () => {
    const team = await makeTeam(root, "shared");
    await askPermission(team);
    const { url, origin } = await stage.serve("--write");
    const one = await openTab(await browser());
    await one.page.goto(url);
    const other = await tabIn(one.context);
    for (const { page } of [one, other]) {
      await page.goto(`${origin}/#/team/shared/requests`);
      await page.getByText("bob asks to use Edit").or(page.getByText("asks to use Edit")).first().waitFor();
    }
    const bob = await team.as("bob");
    await one.page.getByRole("button", { name: "Deny" }).click();
    const mail = () => json("inbox", ["inbox", "shared", "bob"]).messages;
    await untilSeen("the answer", () => mail().some(({ kind }: { kind: string }) => kind === "permission_response"));
    await other.page.getByRole("button", { name: "Allow" }).click();
    await bob.record({ kind: "permission", id: "perm-1", phase: "denied" });
    await one.page.getByText("denied for bob").waitFor();
    await other.page.getByText(/Not done: .*(answered before|no permission request)/).waitFor();
    for (const { page } of [one, other]) await page.getByText("No member of shared asks for anything.").waitFor();
  });

  test("what a terminal does is in the page, and what the page does in the terminal", async () => {
    await makeTeam(root, "both");
    const { url, origin } = await stage.serve("--write");
    const { page } = await openTab(await browser());
    await page.goto(url);
    await page.goto(`${origin}/#/team/both/board`);
    await page.getByText("Publish it").waitFor();
    told("task", "create", "both", "Made in a terminal");
    await page.getByRole("region", { name: "Ready" }).getByText("Made in a terminal").waitFor();
    await page.keyboard.press("n");
    await page.keyboard.type("Made in the page");
    await page.keyboard.press("Enter");
    await page.getByText("created #7 Made in the page").waitFor();
    expect(told("task", "list", "both")).toContain("Made in the page");
    await page.getByRole("region", { name: "Ready" }).getByText("Made in the page").click();
    await page.getByLabel("Owner").selectOption("cleo");
    await untilSeen("the owner", () => told("task", "show", "both", "7").includes("cleo"));
    await page.goto(`${origin}/#/team/both/member/cleo`);
    await page.getByLabel("Message to cleo").waitFor();
    await page.keyboard.press("m");
    await page.keyboard.type("from the page");
    await page.keyboard.press("Enter");
    await page.getByText("sent to cleo from team-lead").waitFor();
    expect(told("inbox", "both", "cleo")).toContain("from the page");
  });

  test("the timeline goes on with the log: what a member begins, waits for and ends is drawn and said as it is recorded", async () => {
    const team = await makeTeam(root, "followed");
    const { url, origin } = await stage.serve();
    const { page } = await openTab(await browser());
    await page.goto(url);
    await page.goto(`${origin}/#/team/followed/timeline`);
    const lane = page.locator(".lane", { hasText: "cleo" });
    await lane.locator(".stretch.idle").waitFor();
    const cleo = await team.as("cleo");
    await cleo.record({ kind: "turn", phase: "began" });
    await untilSeen("cleo at work", async () => (await lane.locator(".stretch.working").count()) === 2);
    await askPlan(team, "cleo", "plan-of-cleo");
    await lane.locator(".stretch.needs_input").waitFor();
    const first = page.locator(".log li").first();
    await first.getByText("cleo hands in a plan").waitFor();
    await cleo.tasks.create({ subject: "found meanwhile", description: "" });
    await first.getByText("cleo sets #6 to pending").waitFor();
  });

  test("a team that is deleted, and a server that is gone, are told as such, and the page comes back with them", async () => {
    const team = await makeTeam(root, "ending");
    await askPlan(team);
    const at = ["--port", `${await portToKeep()}`];
    const { url, origin, child, closed } = await stage.serve(...at);
    const { page } = await openTab(await browser());
    await page.goto(url);
    await page.goto(`${origin}/#/team/ending/board`);
    await page.getByText("Publish it").waitFor();
    told("team", "delete", "ending", "--force", "--yes");
    await page.getByText("There is no team ending").waitFor();
    await makeTeam(root, "ending");
    await page.getByText("Publish it").waitFor();
    child.kill("SIGKILL");
    await closed;
    await page.getByText("The server is gone").waitFor();
    expect(await page.getByText("Publish it").count()).toBe(1);
    rmSync(join(root, "teams/ending"), { recursive: true });
    await stage.serve(...at);
    // Another run has another token: what this page knows opens nothing there.
    await page.getByText("Open the address that").waitFor();
  });
});
