import fc, { type Arbitrary } from "fast-check";

type Texts = Arbitrary<string>;

const some = (...texts: readonly string[]): Texts => fc.constantFrom(...texts);
/** One of the texts between blanks. */
const oneOf = (texts: string): Texts => some(...texts.split(" "));
const often = (...choices: readonly (readonly [weight: number, texts: Texts])[]): Texts =>
  fc.oneof({ depthSize: "small" }, ...choices.map(([weight, arbitrary]) => ({ weight, arbitrary })));
const several = (pieces: Texts, most: number, least = 0): Texts =>
  fc.array(pieces, { minLength: least, maxLength: most }).map((all) => all.join(""));
const row = (...pieces: readonly Texts[]): Texts => fc.tuple(...pieces).map((all) => all.join(""));
/** A parameter with what is done to it. */
const braced = (body: string): string => `$\{${body}}`;

/**
 * Shell texts of a grammar, and such as are nearly of it; the commands in them have the names that
 * are given. `hard` is the share of what is rare and hard to read: 0 is plain, 1 is wild.
 */
export function shellTexts(names: readonly string[], hard: 0 | 1): Texts {
  const name = some(...names);
  const blank = often([14, some(" ")], [1, some("  ", "\t")], [hard, some(" \\\n", "\\\n ", " \\\n ")]);
  const inSingle = several(some("x", " ", ";", "$x", "$(a)", "`", "\\", "\n", "#", "{a,b}", "*", '"', "|", "é"), 4);

  const { text } = fc.letrec<Record<string, string>>((tie) => {
    const inner = tie("inner");
    const output = inner.map((list) => `$(${list})`);
    const backticks = inner.map((list) => `\`${list.replaceAll("`", "")}\``);
    const inDouble = several(
      often(
        [6, some("x", " ", ";", "'", "#", "!", "*", "~", "{a,b}", "|", "(", ")", "\n", "é")],
        [3, some("\\$", '\\"', "\\\\", "\\`", "\\n", "$", "\\'", "$'a'")],
        [2, some("$x", braced("x"), "$?", "$#", "$@")],
        [1, output],
        [hard, some("\\\n", "$\\\n(b)", braced("x:-y"), braced("x-'}'"), "$((1+1))")],
        [hard, backticks],
        [hard, inner.map((list) => `\${x:-$(${list})}`)],
      ),
      4,
    );
    const piece = often(
      [20, oneOf("x y -n 1 é = # : % + @ ^ ! ] / . ,")],
      [4, inSingle.map((body) => `'${body}'`)],
      [5, inDouble.map((body) => `"${body}"`)],
      [2, some("\\ ", "\\;", "\\$", "\\'", '\\"', "\\\\", "\\x", "\\#", "\\{", "\\*", "\\&")],
      [2, some("$x", braced("x"), ..."$? $# $@ $* $1 $$ $- $! $_ $".split(" "))],
      [1, oneOf("{x,y} {x} {} {1..2} { } {x, * ? [i]n ~ ~/x ~+ [ i*")],
      [1, output],
      [hard, some("\\\n", braced("x:-y z"), braced("x#y"), braced("#x"))],
      [hard, some("$((1+1))", "$[1]", "$'x\\'y'", "$'\\n'", '$"x"', "$'x'")],
      [hard, backticks],
      [hard, inner.map((list) => `<(${list})`)],
    );
    const word = several(piece, 3, 1);
    const target = often(
      [4, some("o", "'o p'", "o\\ q", '"o"', "o$x", "{o,p}", "/dev/null", "&1", "&2", "&-")],
      [1, word],
    );
    const redirection = often(
      [3, row(oneOf("> >> 2> &> >| <> 1> {v}> 2>>"), target)],
      [hard, row(some(">&"), target)],
      [1, row(some("> ", "< "), target)],
      [2, some("<in", "< in", "<gone", "0<gone", "2>&1", ">&2", "<'gone'", "<<<x", "<<<'x y'", '<<<"$x"')],
    );
    const assignment = often(
      [3, row(oneOf("x= y= x+= z_1="), fc.option(word, { nil: "" }))],
      [hard, some("x[0]=1", "x=(1 2)", "x[$(a)]=1")],
    );
    const command = often(
      [15, name],
      [1, name.map((one) => `"${one}"`)],
      [1, name.map((one) => `\\${one}`)],
      [1, word],
    );
    const argument = row(blank, often([6, word], [1, redirection]));
    const simple = row(often([6, some("")], [1, row(assignment, some(" "))]), command, several(argument, 4));
    const line = often(
      [5, some("x", "", "x y; z", "$x", "E ", " E", "\tE", "\\$x", "'", '"', "\\\\", "\t\tx", "(b)")],
      [1, output],
      [hard, some("x\\", "$\\", braced("x:-y"), "`a`")],
    );
    const fed = row(
      some("feed "),
      oneOf("<<E <<'E' <<\"E\" <<\\E <<-E <<-'E'"),
      often([3, some("")], [1, simple.map((one) => `; ${one}`)], [1, simple.map((one) => ` | ${one}`)]),
      some("\n"),
      several(row(line, some("\n")), 3),
      some("E\n"),
    );
    const list = tie("list");
    const compound = often(
      [2, list.map((body) => `{ ${body}; }`)],
      [2, list.map((body) => `(${body})`)],
      [2, list.map((body) => `! ${body}`)],
      [2, list.map((body) => `time ${body}`)],
      [2, row(some("if "), list, some("; then "), list, some("; fi"))],
      [1, row(some("if "), list, some("\nthen\n"), list, some("\nelse "), list, some("; fi"))],
      [1, row(some("for x in "), word, some(" 1; do "), list, some("; done"))],
      [hard, row(some("case "), word, some(" in x) "), list, some(";; (*) "), list, some(";; esac"))],
      [1, list.map((body) => `f() { ${body}; }; f`)],
      [1, list.map((body) => `function f { ${body}; }; f`)],
      [1, list.map((body) => `coproc ${body}`)],
      [hard, row(some("[[ -n "), word, some(" ]] && "), list)],
      [1, word.map((each) => `eval a ${each}`)],
      [hard, list.map((body) => `((1)) && ${body}`)],
    );
    const operator = some(
      ";",
      " && ",
      "&&",
      " || ",
      " | ",
      "|",
      " & ",
      "\n",
      " ;\n",
      " &&\n",
      "|\n",
      "; ",
      " # x\n",
      "\n\n",
    );
    return {
      inner: often([5, simple], [1, list]),
      list: row(
        often([14, simple], [2, fed], [3, compound]),
        several(row(operator, often([5, simple], [1, fed], [1, compound])), 1 + hard),
      ),
      text: row(list, several(row(operator, list), 2)),
    };
  });
  return often([3, text as Texts], [1, mutated(text as Texts)]);
}

/** What means something to a shell, or looks as if it did. */
export const shellSigns: readonly string[] = [
  ..." \t\n\\'\"`$(){}[]<>|&;#*?~!=,-",
  ...["\\\n", "$(", "$'", "<<E\n", "${", "&&", "\r", "\u00a0"],
];

/** The same with some signs put in, taken out or changed for others. */
const mutated = (texts: Texts): Texts => {
  const change = fc.tuple(fc.nat(), fc.constantFrom(0, 1), some("", ...shellSigns));
  return fc.tuple(texts, fc.array(change, { minLength: 1, maxLength: 3 })).map(([text, changes]) =>
    changes.reduce((before, [where, gone, sign]) => {
      const at = where % (before.length + 1);
      return before.slice(0, at) + sign + before.slice(at + gone);
    }, text),
  );
};
