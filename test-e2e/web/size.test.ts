import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { describeWith } from "../require.ts";
import { makeBigTeam, nameOf, size } from "./big-team.ts";
import { openBrowser, openTab } from "./chromium.ts";
import { openStage } from "./fixture.ts";

const stage = await openStage();

/** As many elements as a page has at the most, however large its team is. */
const mostElements = 2_500;
const elementsOf = (page: Page) => page.evaluate<number>("document.querySelectorAll('*').length");

describeWith("chromium", "a team of 100 members, 2,000 tasks and 10,000 messages", () => {
  const browser = openBrowser();
  beforeAll(async () => {
    await makeBigTeam(stage.root);
  });

  async function open() {
    const { url, origin } = await stage.serve();
    const tab = await openTab(await browser());
    await tab.page.goto(url);
    return { ...tab, look: (path: string) => tab.page.goto(`${origin}/#/team/big/${path}`) };
  }

  test("no screen makes more than can be seen, and what is not seen is said and reached", async () => {
    const { page, look } = await open();
    await page.getByText("80 more of 100 members").waitFor();
    expect(await page.locator(".members tbody tr").count()).toBe(20);
    expect(await elementsOf(page)).toBeLessThan(mostElements);
    await page.getByText("80 more of 100 members").click();
    await page.getByRole("link", { name: nameOf(99) }).waitFor();
    expect(await page.locator(".members tbody tr").count()).toBe(size.members);
    for (const [path, says] of [
      ["board", "2000 tasks"],
      ["board?pick=graph", "1800 tasks more are not drawn"],
      ["threads", "99 conversations"],
      ["timeline", nameOf(1)],
      ["cost", "No transcript"],
      [`member/${nameOf(1)}`, "as it recorded"],
    ] as const) {
      await look(path);
      await page.getByText(says, { exact: false }).first().waitFor();
      expect(await elementsOf(page), path).toBeLessThan(mostElements);
    }
  });

  test("the last of a thousand cards is reached by scrolling, and any by searching", async () => {
    const { page, look } = await open();
    await look("board");
    const blocked = page.getByRole("region", { name: "Blocked" });
    await blocked.getByText("Task 602 of many").waitFor();
    expect(await blocked.getByText("Task 2000 of many").count()).toBe(0);
    await blocked.getByRole("list").evaluate((list) => list.scrollTo(0, list.scrollHeight));
    await blocked.getByText("Task 2000 of many").waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("1234");
    await page.getByText("Task 1234 of many").waitFor();
    expect(await page.locator(".card").count()).toBe(1);
  });

  test("a conversation of a thousand messages is read page by page, and never more than three stand there", async () => {
    const { page, look } = await open();
    await look(`threads/${nameOf(1)}/${nameOf(2)}`);
    await page
      .getByText(`message 1000 to ${nameOf(2)}`)
      .first()
      .waitFor();
    for (const oldest of [801, 701, 601]) {
      await page.getByRole("button", { name: "Earlier messages" }).click();
      await page
        .getByText(`message ${oldest} to ${nameOf(2)}`)
        .first()
        .waitFor();
      expect(await page.locator(".message").count()).toBeLessThanOrEqual(300);
    }
    await page.getByRole("button", { name: "Back to the newest" }).click();
    await page
      .getByText(`message 1000 to ${nameOf(2)}`)
      .first()
      .waitFor();
  });

  test("forty changes at once are a few looks, after which the page shows them", async () => {
    const { page, look, asked } = await open();
    await look("board");
    await page.getByText("Task 602 of many").waitFor();
    const before = asked.length;
    const team = await stage.team("big");
    const tasks = Array.from({ length: 40 }, (_, at) => `changed ${at}`);
    const lead = await team.as("team-lead");
    for (const subject of tasks) await lead.tasks.create({ subject, description: "" });
    await page.getByText("2040 tasks").waitFor();
    expect(asked.slice(before).filter((url) => url.endsWith("/team/big")).length).toBeLessThan(tasks.length / 2);
  });
});
