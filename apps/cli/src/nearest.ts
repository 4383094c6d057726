/** Returns the name that was most likely meant; undefined when none is near. */
function nearest(word: string, names: Iterable<string>): string | undefined {
  let best: string | undefined;
  let least = Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const name of names) {
    const distance =
      name.startsWith(word) && word.length > 1 ? 0.5 : editsBetween(word.toLowerCase(), name.toLowerCase());
    if (distance < least) [best, least] = [name, distance];
  }
  return best;
}

/** Words of other programs, and what they are called here. */
const synonyms: ReadonlyMap<string, string> = new Map(
  Object.entries({
    add: "create",
    new: "create",
    make: "create",
    rm: "delete",
    remove: "delete",
    ls: "list",
    done: "complete",
    finish: "complete",
    kick: "leave",
    kill: "shutdown",
    stop: "shutdown",
    msg: "send",
    message: "send",
    tell: "send",
    mail: "inbox",
    messages: "inbox",
    history: "log",
    logs: "log",
    follow: "watch",
    start: "spawn",
    usage: "cost",
    costs: "cost",
    ok: "allow",
    yes: "allow",
    no: "deny",
    accept: "approve",
    refuse: "reject",
    check: "doctor",
  }),
);

/** Returns `; did you mean X?`, or an empty text. */
export function hint(word: string, names: Iterable<string>): string {
  const all = [...names];
  const meant = synonyms.get(word.toLowerCase());
  const name = meant !== undefined && all.includes(meant) ? meant : nearest(word, all);
  return name === undefined ? "" : `; did you mean ${name}?`;
}

/** Counts the letters to add, drop, change or swap with a neighbour. */
function editsBetween(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  const at = (i: number, j: number) => rows[i]?.[j] ?? 0;
  for (let i = 1; i <= a.length; i += 1) {
    rows.push([i]);
    for (let j = 1; j <= b.length; j += 1) {
      const isSame = a[i - 1] === b[j - 1];
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const edits = Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + (isSame ? 0 : 1));
      rows[i]?.push(isSwapped ? Math.min(edits, at(i - 2, j - 2) + 1) : edits);
    }
  }
  return at(a.length, b.length);
}
