import { programIn, type RunEnd, runProcess } from "@troupe/process";
import type { Confinement } from "../confinement/confinement.ts";
import { failed, said } from "../loop/outcome.ts";
import type { ToolOutcome } from "../loop/tool.ts";

export interface PdfDeps {
  /** The PATH is where the program that reads them is looked for. */
  readonly environment: Readonly<Record<string, string>>;
  readonly confinement?: Confinement | undefined;
  /** How long the reading of one may take. */
  readonly pdfMs?: number | undefined;
}

/** A file that says it is a PDF. */
export interface Pdf {
  readonly path: string;
  readonly size: number;
  /** As the model asked for them: `3`, `2-5` or `10-`. */
  readonly pages?: string | undefined;
  readonly characters: number;
}

export const maxPages = 20;
const maxBytes = 100_000_000;
const usualMs = 20_000;
const keptBytes = 4_000_000;
const maxMemoryKilobytes = 2_000_000;

export const isPdf = (head: Buffer): boolean => head.subarray(0, 5).toString("latin1") === "%PDF-";

/**
 * The text of a PDF, page by page, as `pdftotext` of poppler finds it: in a process of its own,
 * which is confined where the system offers that, and ended when it takes too much time or memory.
 */
export async function pdfText(
  { path, size, pages, characters }: Pdf,
  { environment, confinement, pdfMs: timeoutMs = usualMs }: PdfDeps,
  signal: AbortSignal,
): Promise<ToolOutcome> {
  const range = rangeOf(pages);
  if (!range) return failed(`pages must be like "3", "2-5" or "10-", at most ${maxPages} of them: not "${pages}".`);
  if (size > maxBytes) return failed(`${path} has ${size} bytes, too many for a PDF to be read; split it with Bash.`);
  const program = programIn("pdftotext", environment["PATH"]);
  if (program === undefined)
    return failed(
      `${path} is a PDF, and pdftotext, which reads them, is not installed: ask the user to install poppler-utils (brew install poppler).`,
    );
  const { first, last } = range;
  // A page more than is shown tells whether there are more.
  const args = ["-enc", "UTF-8", "-f", `${first}`, "-l", `${last + 1}`, path, "-"];
  const start = {
    program: "/bin/sh",
    args: ["-c", `ulimit -v ${maxMemoryKilobytes} 2>/dev/null; exec "$0" "$@"`, program, ...args],
    cwd: "/",
    environment,
  };
  const confined = confinement?.confined(start, { writable: [], temporary: undefined });
  const run = { ...start, ...confined, endsAll: confinement?.endsAll, timeoutMs, keptBytes };
  const end = await runProcess(run, signal);
  const fault = confinement?.faultIn(end.stderr);
  if (end.code !== 0 && fault !== undefined)
    return failed(`${path} was not read: ${confinement?.name} could not confine pdftotext (${fault}).`);
  return end.code === 0 ? shown(path, end.stdout, range, characters) : failed(`${path} ${faultOf(end)}`);
}

interface Range {
  readonly first: number;
  readonly last: number;
}

function rangeOf(pages = "1-"): Range | undefined {
  const [, from, dash, to] = /^\s*(\d{1,7})\s*(?:(-)\s*(\d{0,7}))?\s*$/.exec(pages) ?? [];
  const first = Number(from);
  const last = dash === undefined ? first : to ? Number(to) : first + maxPages - 1;
  return first >= 1 && last >= first && last < first + maxPages ? { first, last } : undefined;
}

function shown(path: string, output: string, { first, last }: Range, characters: number): ToolOutcome {
  const pages = output.split("\f");
  // Behind each page stands a form feed, so the last part is empty unless the output was cut.
  const cut = pages.pop() ?? "";
  const texts = (cut === "" ? pages : [...pages, `${cut}\n… [the page is cut here]`]).slice(0, last - first + 1);
  if (texts.length === 0) return failed(`${path} has no page ${first}.`);
  if (texts.every((text) => text.trim() === ""))
    return said(`The pages ${first} to ${first + texts.length - 1} of ${path} have no text; they may be pictures.`);
  const parts: string[] = [];
  let room = characters;
  for (const [at, text] of texts.entries()) {
    if (room <= 0) break;
    const whole = text.trimEnd();
    parts.push(
      `--- page ${first + at} ---\n${whole.slice(0, room)}${whole.length > room ? "\n… [the page is cut here]" : ""}`,
    );
    room -= whole.length;
  }
  const next = first + parts.length;
  const hasMore = parts.length < pages.length || (cut !== "" && parts.length === texts.length);
  return said([...parts, ...(hasMore ? [`… [there are more pages; continue with pages "${next}-"]`] : [])].join("\n"));
}

/** Why there is no text, and what to do. */
function faultOf({ failure, stderr, code }: RunEnd): string {
  const words = stderr.trim().split("\n")[0] ?? "";
  if (/incorrect password|encrypt/i.test(stderr))
    return "is encrypted, and cannot be read without its password: ask the user for a copy without one.";
  const [, last] = /first page \(\d+\) can not be after the last page \((\d+)\)/.exec(stderr) ?? [];
  if (last !== undefined) return `has ${last} pages; select some of them with pages.`;
  if (failure?.startsWith("took longer")) return `could not be read: pdftotext ${failure}; select fewer pages.`;
  if (failure !== undefined)
    return `could not be read: pdftotext ${failure}. It may be broken, or need too much memory.`;
  return `is no PDF that can be read: ${words || `pdftotext ended with ${code}`}.`;
}
