import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { fuzzer, random } from "../../test/fuzzed-texts.ts";
import { type Case, hostileGround } from "../../test/hostile-ground.ts";
import { rowsOf, tableNames } from "../../test/hostile-rows.ts";
import { type Effect, realBash } from "../../test/real-bash.ts";
import { shellTexts } from "../../test/shell-texts.ts";
import { sensitiveNames } from "./place.ts";

const count = Number(process.env["TROUPE_FUZZ"] ?? 20_000);
/** A text that was made is made again by the same seed. */
const seed = Number(process.env["TROUPE_FUZZ_SEED"] ?? 12);

const readers =
  "cat ls head tail wc sort uniq grep egrep fgrep find xargs git sed awk jq cut tr diff cmp comm stat file basename dirname realpath readlink " +
  "which uname id whoami nproc df du tree env printenv timeout nice nohup stdbuf setsid touch mkdir tee bash sh dash test echo printf seq true " +
  "false ionice md5sum sha1sum sha256sum cksum nl tac od xxd strings column paste join fold fmt expand rev base64 shuf tar gzip dd hostname arch rg";
const canaries =
  "rm mv cp ln chmod chown kill pkill curl wget ssh scp nc ping npm npx pnpm yarn make node python3 perl ruby vim vi ed less more man top systemctl " +
  "docker sudo su crontab at batch mount umount split csplit install truncate shred mkfifo mktemp rmdir unlink evil rsync patch script flock " +
  "taskset strace watch parallel logger wall chrt prlimit unshare date cargo go tsc busybox";

const ground = hostileGround();
const bash = realBash(ground, { programs: readers.split(" "), canaries: canaries.split(" ") });
afterAll(() => {
  bash.remove();
  ground.remove();
});

const isBelow = (name: string): boolean =>
  name.startsWith("project/") && sensitiveNames(`/${name.slice(8)}`).length === 0;
const isCache = (name: string): boolean => name.endsWith("/.git/index");
const isOutside = (name: string): boolean => !["env", "private"].includes(name);
/** `date` that only tells the time. */
const isTime = (call: string): boolean => /^date(?: -u| -R| -u?I\S*| --| \+.*)*$/.test(call);

interface Ward {
  readonly share: number;
  readonly under: Pick<Case, "mode" | "place" | "rules">;
  /** The most texts to run at once: those that may change files change what the next one finds. */
  readonly atOnce: number;
  isHarm(effect: Effect): boolean;
}

const reading = (effect: Effect): boolean =>
  effect.changed.some((name) => !isCache(name)) ||
  effect.shown.some(isOutside) ||
  effect.called.some((call) => !isTime(call));
const ward = (share: number, place: string, mode: Case["mode"] = "default", rules: Case["rules"] = []): Ward => ({
  share,
  under: { mode, place, rules },
  atOnce: 100,
  isHarm: reading,
});
const wards: readonly Ward[] = [
  ward(0.5, "project"),
  ward(0.08, "bare"),
  ward(0.22, "plain"),
  ward(0.05, "project", "plan"),
  {
    ...ward(0.1, "project", "dontAsk", [
      { behavior: "allow", text: "Bash(git status:*)" },
      { behavior: "allow", text: "Bash(ls:*)" },
    ]),
    // The rules let names be shown, and a page of the manual.
    isHarm: ({ shown, called, ...effect }) =>
      reading({
        ...effect,
        shown: shown.filter((name) => name !== "name" && name !== "key"),
        called: called.filter((call) => !call.startsWith("man git")),
      }),
  },
  {
    ...ward(0.01, "project", "acceptEdits"),
    atOnce: 1,
    isHarm: ({ changed, shown }) => changed.some((name) => !isCache(name) && !isBelow(name)) || shown.some(isOutside),
  },
  {
    ...ward(0.03, "project", "bypassPermissions", [{ behavior: "deny", text: "Bash(rm:*)" }]),
    isHarm: ({ called }) => called.some((call) => call.startsWith("rm ")),
  },
  {
    ...ward(0.01, "project", "default", [{ behavior: "deny", text: "Read(.env)" }]),
    isHarm: (effect) => reading(effect) || effect.shown.includes("env"),
  },
];

/** A text without an end shows no more than one that ends. */
const isEndless = /\b(?:sleep|yes|while|until|watch|inf|infinity)\b|\btail\b.*(?:-\w*[fF]|--follow)|\/dev\/(?!null)/;
/**
 * Where only one program is denied, the others may do what they like: nothing is run that could
 * like to do it outside of the ground.
 */
const isFree =
  /\b(?:read|select|kill|suspend|ulimit|exec|wait|fg)\b|-delete|-[a-zA-Z]*r[a-zA-Z]*f|\.\.|\/(?:bin|usr|etc|proc)|[\s'"=](?:\/|~)(?=[\s'"*.;]|$)/;

test(`of ${count} fuzzed texts and scripts, those that pass do no harm in a real bash (seed ${seed})`, {
  timeout: 6 * 3_600_000,
}, () => {
  const rows = tableNames.filter((table) => table !== "hosts" && table !== "paths").flatMap(rowsOf);
  const names = ["cat", "ls", "grep", "echo", "git", "find", "sort", "head", "wc", "rm"];
  const corpus = [
    ...new Set(rows.map(({ text }) => ground.written(text))),
    ...fc.sample(shellTexts(names, 1), { numRuns: 1_000, seed }),
  ].filter((text) => !/kill|-delete|rm -\w*r/.test(text));
  const next = random(seed);
  const make = fuzzer(corpus, next);
  const harm: string[] = [];
  const waiting = new Map<Ward, string[]>(wards.map((one) => [one, []]));
  const judges = new Map(wards.map((one) => [one, ground.judging({ ...one.under, tool: "Bash" })]));
  let [passed, ran] = [0, 0];

  for (let made = 0; made < count && harm.length < 20; made += 1) {
    const one = oneOf(next());
    const text = make();
    if (verdict(one, text) !== "allow") continue;
    passed += 1;
    if (text.includes("\0") || isEndless.test(text)) continue;
    if (one.under.mode === "bypassPermissions" && isFree.test(text)) continue;
    const batch = waiting.get(one) as string[];
    batch.push(text);
    if (batch.length >= one.atOnce) flush(one);
  }
  for (const one of wards) flush(one);
  console.log(`${count} texts, seed ${seed}: ${passed} passed, ${ran} of them ran in a real bash`);
  expect(harm).toEqual([]);
  expect(passed).toBeGreaterThan(count / 50);
  expect(ran).toBeGreaterThan(count / 100);

  function oneOf(share: number): Ward {
    let upTo = 0;
    const found = wards.find((each) => {
      upTo += each.share;
      return share < upTo;
    });
    return found ?? (wards[0] as Ward);
  }

  function verdict(one: Ward, text: string): string | undefined {
    try {
      return judges.get(one)?.(text).behavior;
    } catch (error) {
      harm.push(`${JSON.stringify(one.under)} ${JSON.stringify(text)} cannot be judged: ${error}`);
      return undefined;
    }
  }

  function flush(one: Ward): void {
    const batch = [...new Set(waiting.get(one))];
    waiting.set(one, []);
    ran += batch.length;
    if (batch.length === 0) return;
    const together = bash.runAll(one.under.place, batch);
    if (together.isOver && !one.isHarm(together)) return;
    for (const text of batch) {
      const effect = bash.run(one.under.place, text);
      if (one.isHarm(effect))
        harm.push(`${JSON.stringify(one.under)} ${JSON.stringify(text)}: ${JSON.stringify(effect)}`);
    }
  }
});
