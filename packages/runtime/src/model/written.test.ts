import { readFileSync, writeFileSync } from "node:fs";
import { type LoggedRequest, type MessagesRequest, type Rule, writtenToolUse } from "@troupe/fake-anthropic";
import { expect, test } from "vitest";
import { faked } from "../../test/faked.ts";
import { changed, opened, settled, turn } from "../../test/sessions.ts";

/** Inputs that `JSON.stringify(JSON.parse(…))` changes, each in another way. */
const written = {
  number: '{"pattern":"*","limit":12345678901234567890,"share":1.0,"tiny":1e-7,"huge":1E400}',
  keys: '{"pattern":"*","10":"ten","9":"nine","a":{"2":0,"1":0}}',
  blanks: '{ "pattern" :\t"*",\n"list": [ 1, 2 ] }',
  escapes: '{"pattern":"*","words":"\\u00e9\\/\\u0041\\ud83d\\ude00 é"}',
  doubled: '{"pattern":"x","pattern":"*"}',
  large: `{"pattern": "*", "text": "${"words of a large input, \\u00e9\\n".repeat(40_000)}"}`,
};
const fork = '{"description": "look", "prompt": "fork it", "subagent_type": "fork", "7": 9007199254740993}';
const names = Object.keys(written) as (keyof typeof written)[];

const sentBy = ({ body }: LoggedRequest) => body.toString("utf8");
const countIn = (text: string, json: string) => text.split(`"input":${json},"caller"`).length - 1;

test("the input of a call goes back to the API byte for byte as it was streamed: in the next request, in a fork, and in another process", async () => {
  const rule: Rule = ({ messages }: MessagesRequest) => {
    const name = names[(messages.length - 1) / 2];
    if (name !== undefined) return writtenToolUse("Glob", written[name], `toolu_${name}`);
    return JSON.stringify(messages).includes("fork_it") ? "Done." : writtenToolUse("Agent", fork, "toolu_fork_it");
  };
  const { deps, fake } = await faked({ rule }, { revision: "2026-11" });
  const session = opened(deps);
  await turn(session, "go");
  await settled(session);
  const all = [...Object.values(written), fork];
  const counted = (request: LoggedRequest) => all.map((json) => countIn(sentBy(request), json));
  const before = (count: number) => all.map((_, at) => (at < count ? 1 : 0));
  const whole = fake.requests.slice(all.length);
  expect(fake.requests.slice(0, all.length).map(counted)).toEqual(all.map((_, at) => before(at)));
  // The next request of the parent, and the first of the fork.
  expect(whole.length).toBeGreaterThanOrEqual(2);
  expect(whole.map(counted)).toEqual(whole.map(() => before(all.length)));
  expect(whole.some((request) => sentBy(request).includes("Your directive: fork it"))).toBe(true);

  await session.close();
  const again = opened(changed(deps, { sessionId: session.id }));
  await turn(again, "and now?");
  const last = fake.requests.at(-1) ?? expect.unreachable();
  expect(sentBy(last)).toContain("and now?");
  expect(counted(last)).toEqual(before(all.length));
});

test("an input that somebody has changed in the transcript is sent as it stands there", async () => {
  const rule: Rule = ({ messages }) =>
    messages.length === 1 ? writtenToolUse("Glob", '{ "pattern": "before" }') : "Done.";
  const { deps, fake } = await faked({ rule });
  const session = opened(deps);
  await turn(session, "go");
  await session.close();
  const lines = readFileSync(session.transcript, "utf8");
  writeFileSync(session.transcript, lines.replace('"input":{"pattern":"before"}', '"input":{"pattern":"behind"}'));
  const again = opened(changed(deps, { sessionId: session.id }));
  await turn(again, "and now?");
  const last = sentBy(fake.requests.at(-1) ?? expect.unreachable());
  expect(last).toContain('"input":{"pattern":"behind"}');
  expect(last).not.toContain('{ "pattern": "before" }');
});
