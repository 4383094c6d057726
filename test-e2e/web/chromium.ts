import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { afterAll } from "vitest";

/** Debian's browser, which `.ci/run` installs. */
const program = "chromium";

const found = (process.env["PATH"] ?? "")
  .split(delimiter)
  .map((dir) => join(dir, program))
  .find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });

let browser: Promise<Browser> | undefined;

/** One browser for the tests of a file, that ends after them. */
export function openBrowser(): () => Promise<Browser> {
  afterAll(async () => {
    await (await browser)?.close();
    browser = undefined;
  });
  return () => {
    browser ??= chromium.launch({
      executablePath: found ?? program,
      // Tests run as root in a container; no page of others is opened.
      args: ["--no-sandbox", "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking"],
    });
    return browser;
  };
}

/** A tab, and what its browser has complained of. */
export interface Tab {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What the policy of the page has refused, and errors of its scripts. */
  readonly complaints: () => Promise<readonly string[]>;
  /** All that was asked of anybody. */
  readonly asked: readonly string[];
}

export interface Look {
  readonly width?: number;
  readonly height?: number;
  readonly colorScheme?: "light" | "dark";
}

/** Notes in the page what its policy refuses. */
const noting = `
globalThis.violations = [];
document.addEventListener("securitypolicyviolation", (event) =>
  globalThis.violations.push(event.violatedDirective + " " + event.blockedURI));`;

/** A tab of a person of its own. */
export async function openTab(
  browser: Browser,
  { width = 1280, height = 900, colorScheme = "light" }: Look = {},
): Promise<Tab> {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme, reducedMotion: "reduce" });
  return tabIn(context);
}

/** One more tab of the same person. */
export async function tabIn(context: BrowserContext): Promise<Tab> {
  const page = await context.newPage();
  const errors: string[] = [];
  const asked: string[] = [];
  page.on("pageerror", ({ message }) => errors.push(message));
  page.on("console", (message) => {
    if (message.type() === "error" && !/Failed to load resource/.test(message.text())) errors.push(message.text());
  });
  page.on("request", (request) => asked.push(request.url()));
  await page.addInitScript({ content: noting });
  return {
    page,
    context,
    asked,
    async complaints() {
      return [...errors, ...(await page.evaluate<readonly string[]>("globalThis.violations"))];
    },
  };
}
