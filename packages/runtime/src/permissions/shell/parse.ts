import { type HeredocStart, readHeredoc } from "./heredoc.ts";
import { broken, deeper, match, type Reader, sums } from "./reader.ts";
import { isKnown, literal, mostGuesses, type Operator, type Redirect, type Script, type Word } from "./script.ts";
import { readWord } from "./word.ts";

/** Long enough for every command that a person could check; a longer one is not taken apart. */
const longest = 100_000;

/**
 * Blanks that are none to a shell, signs that cannot be seen, and such as turn the direction of
 * writing.
 */
const unseen =
  /[\0-\x08\x0b-\x1f\x7f-\x9f\u00a0\u00ad\u061c\u115f\u1160\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\u3164\ufeff\uffa0\ufff9-\uffff\u{e0000}-\u{e0fff}\p{Surrogate}]|\u034f|\u17b4|\u17b5/u;

const redirection = /(?:[0-9]+|\{[A-Za-z_][A-Za-z0-9_]*\})?(?:<<<|<<-?|<>|<&|<|>>|>\||>&|>|&>>|&>)/y;
const operator = /&&|\|\||\|&|;;&|;;|;&|[;&|\n]/y;

const assignment = /^[A-Za-z_][A-Za-z0-9_]*(?:\[[^\]]*\])?\+?=/;

/** Words that make something of the commands around them. */
const structure = new Set(
  "if then elif else fi do done while until for case esac select function coproc [[".split(" "),
);
/** Of these, the words that follow are not a command at once. */
const headed = new Set(["for", "case", "select", "function", "coproc"]);

interface Command {
  words: Word[];
  assignments: Word[];
  redirects: Redirect[];
  fed: Word[];
  isMixed?: boolean;
  isNegated?: boolean;
}

const empty = (): Command => ({ words: [], assignments: [], redirects: [], fed: [] });

/**
 * Cuts a text as a POSIX shell would. It never throws and never runs anything; what it does not
 * understand is a doubt, so that a mistake of this reader asks somebody and allows nothing.
 */
export function parseShell(source: string, depth = 0, isText = false): Script {
  let command = empty();
  const heredocs: HeredocStart[] = [];
  const reader: Reader = {
    source,
    at: 0,
    level: depth,
    items: [],
    doubts: new Set(),
    isBroken: false,
    readNested,
    readInner,
  };

  if (unseen.test(source)) broken(reader, "it holds signs that cannot be seen");
  if (source.length > longest) broken(reader, "it is too long to be checked");
  else deeper(reader, () => (isText ? readWord(reader, true) : list(false)));
  if (heredocs.length > 0) broken(reader, "a here-document does not end");
  return { items: reader.items, doubts: [...reader.doubts], isBroken: reader.isBroken };

  /** Reads commands up to the end, or up to the parenthesis that closes them. */
  function list(isNested: boolean): void {
    while (reader.at < source.length) {
      const char = source[reader.at];
      if (source.startsWith("\\\n", reader.at)) joinLines();
      else if (char === " " || char === "\t") reader.at += 1;
      else if (char === "#") reader.at += match(reader, /[^\n]*/y)?.length ?? 1;
      else if (char === ")") {
        reader.at += 1;
        if (isNested) {
          if (heredocs.length > 0) broken(reader, "a here-document does not end where it began");
          finish();
          return;
        }
        broken(reader, "a `)` has no `(`");
        operate(";");
      } else if (char === "(") {
        if (command.words.length + command.assignments.length > 0) broken(reader, "a `(` defines something");
        finish();
        const from = reader.at;
        reader.at += 1;
        readNested();
        if (source[from + 1] === "(") sums(reader, from);
      } else if (!readRedirection() && !readOperator()) readArgument();
    }
    if (isNested) broken(reader, "a `(` is not closed");
    finish();
  }

  /** Two lines are one: between words, where it can join no signs to another one. */
  function joinLines(): void {
    if (!/^[ \t\n]?$/.test(source.charAt(reader.at - 1))) broken(reader, "a line goes on in the middle of a word");
    reader.at += 2;
  }

  /**
   * A command in parentheses runs in a shell of its own; the command around it goes on afterwards.
   */
  function readNested(): void {
    const outer = command;
    command = empty();
    reader.items.push({ operator: "(" });
    deeper(reader, () => list(true));
    reader.items.push({ operator: ")" });
    command = outer;
  }

  function readInner(text: string, isInnerText: boolean): void {
    const inner = parseShell(text, reader.level, isInnerText);
    reader.items.push({ operator: "(" }, ...inner.items, { operator: ")" });
    for (const doubt of inner.doubts) reader.doubts.add(doubt);
    reader.isBroken ||= inner.isBroken;
  }

  function finish(): void {
    const done = command;
    command = empty();
    for (let first = done.words[0]?.raw; first !== undefined; first = done.words[0]?.raw) {
      if (!/^(?:!|\{|\}|time)$/.test(first) && !structure.has(first)) break;
      if (structure.has(first)) reader.doubts.add(`\`${first}\` is not followed`);
      const [sign] = done.words.splice(0, 1);
      if (first === "!") done.isNegated = true;
      if (first === "time" && sign) {
        reader.items.push({ command: { ...empty(), words: [sign] } });
        while (/^(?:-p|--)$/.test(done.words[0]?.raw ?? "")) done.words.shift();
      }
      if (!headed.has(first)) continue;
      // Somewhere behind the name a command may begin: each of the words is looked at as one.
      const later = done.words.splice(0);
      if (later.length > mostGuesses) broken(reader, "it has too many words to look for commands among");
      for (let from = first === "coproc" ? 0 : 1; from < Math.min(later.length, mostGuesses); from += 1) {
        reader.items.push({ command: { ...done, words: later.slice(from) } });
      }
    }
    // Behind a word of structure a command begins anew.
    for (let first = done.words[0]; first && assignment.test(first.raw); first = done.words[0]) {
      done.assignments.push(first);
      done.words.shift();
    }
    if (done.words.length + done.assignments.length + done.redirects.length > 0) reader.items.push({ command: done });
  }

  function operate(sign: Operator): void {
    finish();
    reader.items.push({ operator: sign });
  }

  function readOperator(): boolean {
    const sign = match(reader, operator);
    if (sign === undefined) return false;
    reader.at += sign.length;
    if (sign === "|&") command.isMixed = true;
    finish();
    const last = reader.items.at(-1);
    // A line break behind an operator that wants a command ends nothing.
    const isOpen = sign === "\n" && last !== undefined && "operator" in last && /^(?:\|\|?|&&)$/.test(last.operator);
    if (!isOpen) operate(sign === "&&" || sign === "||" || sign === "&" ? sign : sign.startsWith("|") ? "|" : ";");
    if (sign === "\n") for (const start of heredocs.splice(0)) takeHeredoc(start);
    return true;
  }

  function takeHeredoc(start: HeredocStart): void {
    const { body, end, problem } = readHeredoc(source, reader.at, start);
    reader.at = end;
    if (problem !== undefined) broken(reader, problem);
    if (!start.isQuoted) readInner(body, true);
    start.fed.push(start.isQuoted ? literal(body) : { ...literal(body), known: body.search(/[$`\\]|$/) });
  }

  function readRedirection(): boolean {
    const sign = match(reader, redirection);
    if (sign === undefined || (/^[<>]$/.test(sign) && source[reader.at + 1] === "(")) return false;
    reader.at += sign.length;
    reader.at += match(reader, /(?:[ \t]|\\\n)*/y)?.length ?? 0;
    const target = readWord(reader);
    if (target === undefined) {
      broken(reader, `nothing follows \`${sign}\``);
      return true;
    }
    if (sign.startsWith("{")) reader.doubts.add("a redirection gives a variable a value");
    const bare = sign.replace(/^(?:[0-9]+|\{\w+\})/, "");
    if (bare === "<<" || bare === "<<-") {
      if (!isKnown(target)) broken(reader, "the end of a here-document is not plain");
      const isQuoted = /['"\\]/.test(target.raw);
      heredocs.push({ delimiter: target.text, isQuoted, isIndented: bare === "<<-", fed: command.fed });
    } else if (bare === "<<<") command.fed.push(target);
    // The shell expands such a word twice, quotes or not, and behind `-` begins another one.
    else if (bare.endsWith("&") && !/^(?:-|[\w./,:+@%=][\w./,:+@%=-]*)$/.test(target.raw))
      broken(reader, `what follows \`${bare}\` is not plain`);
    else if (!bare.endsWith("&") || !/^(?:[0-9]+-?|-)$/.test(target.text)) {
      if (bare.startsWith("<")) command.redirects.push({ kind: "read", target });
      if (bare !== "<") command.redirects.push({ kind: "write", target });
    } else command.isMixed = true;
    return true;
  }

  function readArgument(): void {
    const word = readWord(reader);
    if (word === undefined) {
      broken(reader, "a sign is not understood");
      reader.at += 1;
      return;
    }
    (assignment.test(word.raw) && command.words.length === 0 ? command.assignments : command.words).push(word);
  }
}
