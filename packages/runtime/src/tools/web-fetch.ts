import { messageOf } from "@troupe/protocol";
import { timeLimit } from "@troupe/store";
import { z } from "zod";
import { bounded, failed, said } from "../loop/outcome.ts";
import type { Tool, ToolOutcome } from "../loop/tool.ts";
import { typedTool } from "../loop/typed-tool.ts";
import { htmlText } from "./html-text.ts";

export interface WebFetchDeps {
  readonly fetch: typeof globalThis.fetch;
  /** Answers a question about a text; without it the model gets the text itself. */
  readonly summarise?: (text: string, prompt: string, signal: AbortSignal) => Promise<string>;
  readonly fetchLimits?: Partial<FetchLimits>;
}

interface FetchLimits {
  readonly ms: number;
  readonly bytes: number;
}

const usualLimits: FetchLimits = { ms: 30_000, bytes: 5 * 1024 * 1024 };
const maxHops = 5;
const maxAsked = 200_000;

const Input = z.object({
  url: z.url().describe("The full URL, with http or https."),
  prompt: z.string().describe("What you want to know from the page."),
});

/** Reads a page of the web. */
export const webFetchTool = (deps: WebFetchDeps): Tool =>
  typedTool({
    name: "WebFetch",
    description:
      "Reads a web page and answers the prompt from it, or returns its text. http becomes https, except on this machine. A redirect to another " +
      "host is not followed: the result names its target. It cannot log in anywhere.",
    input: Input,
    isConcurrent: true,
    reaches: ({ url }) => [{ kind: "url", url: secured(new URL(url)).href }],
    run: async ({ url, prompt }, { signal }) => {
      const limits = { ...usualLimits, ...deps.fetchLimits };
      const late = timeLimit(limits.ms);
      const enough = AbortSignal.any([signal, late]);
      try {
        const page = await get(secured(new URL(url)), deps.fetch, limits.bytes, enough);
        if ("outcome" in page) return page.outcome;
        if (!deps.summarise) return said(bounded(page.text, "fetch it with Bash to see the rest"));
        const asked = bounded(page.text, "the page is longer", maxAsked);
        return said(bounded(await deps.summarise(asked, prompt, signal), "ask for less"));
      } catch (error) {
        if (late.aborted && !signal.aborted)
          return failed(`${url} did not load within ${limits.ms} ms; retry, or fetch another page.`);
        const { cause = error } = error as Error;
        return failed(`${url} could not be read: ${messageOf(cause)}`);
      }
    },
  });

type Page = { readonly text: string } | { readonly outcome: ToolOutcome };

async function get(start: URL, fetch: typeof globalThis.fetch, bytes: number, signal: AbortSignal): Promise<Page> {
  if (!/^https?:$/.test(start.protocol)) return { outcome: failed("Only http and https URLs can be fetched.") };
  if (start.username || start.password)
    return { outcome: failed("A URL with a user name or password is not fetched.") };
  let url = start;
  for (let hop = 0; hop < maxHops; hop += 1) {
    const headers = { accept: "text/markdown, text/html, text/plain, */*;q=0.5", "user-agent": "troupe" };
    const response = await fetch(url, { redirect: "manual", headers, signal });
    const location = response.status >= 300 && response.status < 400 ? response.headers.get("location") : null;
    if (location === null) return await textOf(response, url, bytes);
    await response.body?.cancel();
    const next = new URL(location, url);
    if (next.origin !== url.origin) {
      return {
        outcome: said(
          `${url.href} redirects to another host, which was not followed. To read that page, call WebFetch with ${next.href}.`,
        ),
      };
    }
    url = next;
  }
  return { outcome: failed(`${start.href} redirects more than ${maxHops} times.`) };
}

async function textOf(response: Response, url: URL, limit: number): Promise<Page> {
  const type = response.headers.get("content-type") ?? "text/plain";
  if (!/^text\/|[/+](json|xml|yaml|javascript)\b/.test(type)) {
    await response.body?.cancel();
    return { outcome: failed(`${url.href} is ${type}, which is not text; download it with Bash.`) };
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= limit) break;
  }
  const written = decode(Buffer.concat(chunks).subarray(0, limit), type);
  const text = /\bhtml\b/.test(type) ? htmlText(written) : written;
  const whole = size >= limit ? `… [only the first ${limit} bytes were read]\n${text}` : text;
  if (response.ok) return { text: whole };
  return {
    outcome: failed(bounded(`${url.href} answered with status ${response.status}.\n${whole}`, "an error", 2_000)),
  };
}

function decode(bytes: Uint8Array, type: string): string {
  const charset = /charset="?([\w-]+)/i.exec(type)?.[1] ?? "utf-8";
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

function secured(url: URL): URL {
  const isHere = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname);
  const secure = new URL(url);
  if (url.protocol === "http:" && !isHere) secure.protocol = "https:";
  return secure;
}
