import { messageOf } from "@troupe/protocol";

/** What became of one thing that a scenario looks at. */
export interface Finding {
  readonly what: string;
  readonly state: "works" | "fails" | "not applicable";
  /** Figures of what works, or the reason. */
  readonly note?: string;
}

export interface Checks {
  readonly findings: readonly Finding[];
  /** Notes what became of it and goes on either way; what it returns are figures for the page. */
  check(what: string, look: () => Promise<string | undefined>): Promise<void>;
  notApplicable(what: string, note: string): void;
}

/** Collects findings, and tells each as it is made, before anything else happens. */
export function openChecks(tell: (finding: Finding) => void | Promise<void>): Checks {
  const findings: Finding[] = [];
  const found = async (finding: Finding) => {
    findings.push(finding);
    await tell(finding);
  };
  return {
    findings,
    async check(what, look) {
      try {
        const note = await look();
        await found({ what, state: "works", ...(note !== undefined && { note: oneLine(note) }) });
      } catch (error) {
        await found({ what, state: "fails", note: oneLine(messageOf(error)) });
      }
    },
    notApplicable: (what, note) => void found({ what, state: "not applicable", note }),
  };
}

/** One line without the place of a throw-away home, which is another one with each run. */
const oneLine = (text: string): string =>
  text
    .split("\n")
    .join(" | ")
    .replaceAll(/[^\s"',:]*\/interop-\w{6}(?=\/)/g, "~")
    .replaceAll(/ +/g, " ")
    .slice(0, 2_000);

/** Fails with what was expected and what is there. */
export function expectSame(what: string, found: unknown, expected: unknown): void {
  const [is, should] = [JSON.stringify(found), JSON.stringify(expected)];
  if (is !== should) throw new Error(`${what}: expected ${should}, found ${is}`);
}

/** Fails with the words that a model was not shown. */
export function expectWords(shown: string, words: readonly string[]): void {
  const missing = words.filter((word) => !shown.includes(word));
  if (missing.length > 0) throw new Error(`its model was not shown ${missing.join(", ")}: ${shown.slice(-800)}`);
}
