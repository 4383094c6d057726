// The adapter protocol in its smallest form, for implementations that are wrong on purpose.

/**
 * @param {(method: string, params: Readonly<Record<string, unknown>>) => unknown} answer gives a result or the promise of one, throws
 *   a number for an error, or returns undefined to say nothing
 */
export async function speak(answer) {
  let rest = "";
  process.stdin.setEncoding("utf8");
  for await (const text of process.stdin) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const { id, method, params } = JSON.parse(line);
      await reply(id, () => (method === "bye" ? {} : answer(method, params)));
      if (method === "bye") return;
    }
  }
}

/**
 * @param {number} id
 * @param {() => unknown} work
 */
async function reply(id, work) {
  try {
    const result = await work();
    if (result !== undefined) send({ jsonrpc: "2.0", id, result });
  } catch (code) {
    send({ jsonrpc: "2.0", id, error: { code, message: "no" } });
  }
}

/** @param {unknown} message */
const send = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);

/** @param {readonly string[]} levels */
export const hello = (levels) => ({
  name: "miniature",
  version: "1",
  protocol: 1,
  revisions: ["2026-02", "2026-11"],
  levels,
});
