import { join } from "node:path";
import type { Check, CheckContext } from "../check.ts";
import { checkFailure } from "../fault.ts";
import { readFile } from "../reader/document.ts";
import { revisions } from "../requirement.ts";
import { makeTeam } from "./teams.ts";

const mebibyte = 1024 * 1024;

/** Texts that careless writers truncate, alter or fail on. */
const textsOf = (context: CheckContext): Readonly<Record<string, string>> => ({
  "a mebibyte of ASCII": "x".repeat(mebibyte),
  "a mebibyte of characters of four bytes": "🎉".repeat(mebibyte / 4),
  "every control character": String.fromCharCode(...Array.from({ length: 32 }, (_, code) => code), 0x7f, 0x85, 0x9f),
  "a high surrogate alone": "before\ud83cafter",
  "a low surrogate alone": "before\udf89after",
  "surrogates in the wrong order": "\udf89\ud83c",
  "separators of lines": "a\u2028b\u2029c\r\nd\re\u0085f",
  "what looks like escapes": '\\u0041 \\" \\\\ \\n </script> %00 $HOME `id`',
  "any characters": Array.from({ length: 500 }, () => String.fromCharCode(Math.floor(context.random() * 0xd800))).join(
    "",
  ),
});

/** Texts come back letter by letter, or are refused whole. */
export const textChecks: readonly Check[] = [
  {
    id: "INB-TEXTS/a",
    title: "long texts, control characters and lone surrogates come back as they were, or are refused whole",
    requirements: ["ATP-INB-022"],
    level: "L1",
    revisions,
    needs: { scene: ["team.create", "member.add"], methods: ["inbox.append", "inbox.read"] },
    async run(context) {
      const { team } = await makeTeam(context, ["alice"]);
      const path = join(context.root, "teams", team, "inboxes", "alice.json");
      const sent: [string, string][] = [];
      for (const [what, text] of Object.entries(textsOf(context))) {
        const reply = await context.call("inbox.append", { team, agent: "alice", from: "team-lead", text });
        if (reply.outcome === "ok") sent.push([what, text]);
        const entries = (readFile(path)?.value ?? []) as readonly { text?: unknown }[];
        const wrong = sent.find(([, expected], index) => entries[index]?.text !== expected);
        if (wrong || entries.length !== sent.length) {
          throw checkFailure(`after ${what} the file holds other texts than were sent`, {
            expected: sent.map(([one]) => one),
            actual: { entries: entries.length, wrong: wrong?.[0] },
          });
        }
      }
      const { messages } = await context.ok("inbox.read", { team, agent: "alice" });
      const read = (messages as readonly { text: unknown }[]).map(({ text }) => text);
      const lost = sent.filter(([, text], index) => read[index] !== text).map(([what]) => what);
      if (lost.length > 0) throw checkFailure("what was read is other than what was sent", { lost });
      return { sent: sent.map(([what]) => what) };
    },
  },
];
