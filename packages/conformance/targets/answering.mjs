// The adapter protocol for implementations that are a library: a table of methods in, answers out.
import { createInterface } from "node:readline";

const codes = {
  absent: -32601,
  notFound: 1001,
  conflict: 1002,
  blocked: 1003,
  invalid: 1004,
  locked: 1005,
  refused: 1006,
};

/** @typedef {keyof typeof codes} ErrorName */
/** @typedef {Readonly<Record<string, (params: any) => unknown>>} Methods */

/**
 * What a method throws to end as the adapter protocol says.
 * @param {ErrorName} name
 * @param {string} message
 */
export const refusal = (name, message) => Object.assign(new Error(message), { refusal: name });

/**
 * Serves until `bye`. The methods that `hello` names are those of the table; a result that is
 * undefined is an empty one.
 * @param {{ about: object, methods: Methods, nameOf?: (error: any) => ErrorName | undefined }} what
 *   `nameOf` knows the errors of the implementation
 */
export async function answering({ about, methods, nameOf = () => undefined }) {
  const hello = () => ({ protocol: 1, levels: [], ...about, methods: Object.keys(methods).filter((name) => name.includes(".")) });
  const table = new Map(Object.entries({ hello, bye: () => ({}), ...methods }));

  /**
   * @param {string} name
   * @param {unknown} params
   */
  async function answerTo(name, params) {
    const method = table.get(name);
    if (!method) return { error: { code: -32601, message: "it has no such operation" } };
    try {
      return { result: (await method(params)) ?? {} };
    } catch (error) {
      const known = /** @type {any} */ (error).refusal ?? nameOf(error);
      return { error: { code: known ? codes[/** @type {ErrorName} */ (known)] : -32603, message: String(error) } };
    }
  }

  for await (const line of createInterface({ input: process.stdin })) {
    const { id, method, params } = JSON.parse(line);
    process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...(await answerTo(method, params)) })}\n`);
    if (method === "bye") break;
  }
  process.stdin.destroy();
}
