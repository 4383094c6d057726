/** A line of both texts, of the first only or of the second only; `⋯` stands for lines left out. */
export interface DiffLine {
  readonly sign: " " | "-" | "+" | "⋯";
  readonly text: string;
}

/** Beyond this many pairs of lines the search for common ones takes too long. */
const maxPairs = 1_000_000;

/** The edits that turn the first list of lines into the second. */
export function diffLines(first: readonly string[], second: readonly string[]): readonly DiffLine[] {
  const shortest = Math.min(first.length, second.length);
  let head = 0;
  while (head < shortest && first[head] === second[head]) head += 1;
  let tail = 0;
  while (tail < shortest - head && first.at(-1 - tail) === second.at(-1 - tail)) tail += 1;
  return [
    ...signed(" ", first.slice(0, head)),
    ...middle(first.slice(head, first.length - tail), second.slice(head, second.length - tail)),
    ...signed(" ", first.slice(first.length - tail)),
  ];
}

/** By the longest common subsequence. */
function middle(first: readonly string[], second: readonly string[]): readonly DiffLine[] {
  if (first.length * second.length > maxPairs) return [...signed("-", first), ...signed("+", second)];
  const width = second.length + 1;
  const common = new Uint32Array((first.length + 1) * width);
  const at = (i: number, j: number) => common[i * width + j] ?? 0;
  for (let i = first.length - 1; i >= 0; i -= 1) {
    for (let j = second.length - 1; j >= 0; j -= 1) {
      common[i * width + j] = first[i] === second[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const found: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < first.length || j < second.length) {
    if (i < first.length && j < second.length && first[i] === second[j]) {
      found.push({ sign: " ", text: first[i] ?? "" });
      i += 1;
      j += 1;
    } else if (j >= second.length || (i < first.length && at(i + 1, j) >= at(i, j + 1))) {
      found.push({ sign: "-", text: first[i] ?? "" });
      i += 1;
    } else {
      found.push({ sign: "+", text: second[j] ?? "" });
      j += 1;
    }
  }
  return found;
}

const signed = (sign: DiffLine["sign"], lines: readonly string[]): readonly DiffLine[] =>
  lines.map((text) => ({ sign, text }));

/** The same with stretches of common lines left out, but for those near a change. */
export function folded(lines: readonly DiffLine[], context = 3): readonly DiffLine[] {
  const changes = lines.flatMap(({ sign }, index) => (sign === " " ? [] : [index]));
  const isNear = (index: number) => changes.some((change) => Math.abs(change - index) <= context);
  return lines.flatMap((line, index) => {
    if (isNear(index)) return [line];
    if (index > 0 && !isNear(index - 1)) return [];
    const rest = lines.slice(index).findIndex((_, ahead) => isNear(index + ahead));
    const count = rest < 0 ? lines.length - index : rest;
    return count < 3 ? lines.slice(index, index + count) : [{ sign: "⋯", text: `${count} lines` }];
  });
}
