/**
 * What workers said, as one record for each operation: when it was called and when it ended on the
 * clock that all processes share, and how. One that was cut off by a kill stays "open" and ends
 * never: it may have happened or not.
 */
export function createRecords() {
  /** @type {any[]} */
  const records = [];
  return {
    records,
    /**
     * Takes the lines of one process as they come; a line that a kill has cut off is dropped.
     * `stopped` hears that it stops itself.
     * @param {import("node:stream").Readable} stream
     * @param {number} slot
     * @param {() => void} stopped
     */
    listen(stream, slot, stopped) {
      const open = new Map();
      let rest = "";
      stream.setEncoding("utf8").on("data", (/** @type {string} */ text) => {
        const lines = (rest + text).split("\n");
        rest = lines.pop() ?? "";
        if (lines.some((line) => line.startsWith("stopped"))) stopped();
        const said = lines.filter((line) => line.startsWith("["));
        for (const [number, us, outcome, ...more] of said.map((line) => JSON.parse(line))) {
          if (outcome === "call") {
            const [team, operation, args] = more;
            const record = { slot, team, operation, args, call: us, done: Number.POSITIVE_INFINITY, outcome: "open" };
            open.set(number, record);
            records.push(record);
          } else {
            Object.assign(open.get(number), { done: us, outcome, result: more[0] });
            open.delete(number);
          }
        }
      });
    },
  };
}
