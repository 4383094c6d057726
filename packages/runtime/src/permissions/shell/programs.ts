import type { Options } from "./options.ts";

/** How a program that only reads is to be called for nobody to be asked. */
export interface Program extends Options {
  /** Which of the other words may be files: all, none, or all but a pattern. */
  readonly operands: "files" | "words" | "pattern" | "none";
  /** More of them, and one is written to. */
  readonly most?: number;
  /**
   * Options with these letters or names go through everything below the directories they are told.
   */
  readonly walks?: readonly string[];
  /** Told no file, it looks at the directory it stands in. */
  readonly isHere?: boolean;
  /** No name that a glob finds does harm as an option. */
  readonly isWildFine?: boolean;
  /** In directories it would follow links. */
  readonly isFlat?: boolean;
  /** The pattern of every operand. */
  readonly only?: RegExp;
}

const files = (flags: string, more: Partial<Program> = {}): Program => ({ flags, operands: "files", ...more });
const words = (flags: string, more: Partial<Program> = {}): Program => ({ flags, operands: "words", ...more });
const nothing = (flags: string, more: Partial<Program> = {}): Program => ({ flags, operands: "none", ...more });

const wild = { isWildFine: true };
const digits = "0123456789";
const sums = files("btz", { long: ["tag", "binary", "text"] });
const grep: Program = {
  operands: "pattern",
  flags: `EFGPciLlnoqsvwxhHbzyIr${digits}`,
  values: "emABC",
  long: [
    ..."count ignore-case invert-match line-number only-matching word-regexp extended-regexp fixed-strings".split(" "),
    ..."quiet recursive no-messages with-filename no-filename files-with-matches color color= colour colour=".split(
      " ",
    ),
    ..."include= exclude= exclude-dir= max-count= context= after-context= before-context= regexp=".split(" "),
  ],
  walks: ["r", "recursive"],
};

/**
 * The programs that only read, with the options that are known. What is not here is asked about.
 */
export const programs: Readonly<Record<string, Program>> = {
  ls: files("1AaBCFGghiklmNnopQqRrSstUuvXxZd", {
    ...wild,
    isHere: true,
    long: ["all", "almost-all", "color", "color=", "human-readable", "group-directories-first", "time-style=", "sort="],
  }),
  cat: files("AbeEnstTuv", { ...wild, long: ["number", "show-all", "squeeze-blank"] }),
  head: files("qvz", { ...wild, isNumbered: true, values: "nc", long: ["lines=", "bytes="] }),
  tail: files("qvzfFr", { ...wild, isNumbered: true, values: "nc", long: ["lines=", "bytes="] }),
  wc: files("clmwL", { ...wild, long: ["lines", "words", "bytes", "chars"] }),
  nl: files("p", { ...wild, values: "bfhivwsnl" }),
  tac: files("br", { ...wild, values: "s" }),
  rev: files("", wild),
  stat: files("Ltf", { ...wild, values: "c", long: ["format=", "printf=", "dereference", "terse"] }),
  realpath: files("emLPqsz", wild),
  readlink: files("efmnqsvz", wild),
  cmp: files("bls"),
  comm: files("123z", { long: ["nocheck-order", "total"] }),
  paste: files("sz", { values: "d" }),
  fold: files("bs", { values: "w" }),
  expand: files("i", { values: "t" }),
  column: files("t", { values: "sco" }),
  od: files("bcdoxv", { values: "AjNt" }),
  hexdump: files("bcCdovx", { values: "ns" }),
  strings: files("a", { values: "nt" }),
  base64: files("di", { values: "w", long: ["decode"] }),
  md5sum: sums,
  sha1sum: sums,
  sha256sum: sums,
  sha512sum: sums,
  shasum: files("", { values: "a" }),
  cksum: files(""),
  cut: files("nsz", { values: "bcdf", long: ["delimiter=", "fields=", "complement", "characters="] }),
  uniq: files("cdiuz", { values: "fsw", most: 1, long: ["count", "repeated", "unique", "ignore-case"] }),
  sort: files("bdfgiMhnRrVcCsuzm", {
    values: "kt",
    long: ["reverse", "unique", "numeric-sort", "human-numeric-sort", "version-sort", "ignore-case", "key="],
  }),
  diff: files(`uqbwBiycaNd${digits}`, {
    isFlat: true,
    values: "U",
    long: ["unified", "unified=", "brief", "side-by-side", "color", "color=", "ignore-all-space", "strip-trailing-cr"],
  }),
  xxd: files("bpui", { values: "lsgc", most: 1, isApart: true }),
  du: files("achkmsxb0", {
    ...wild,
    isHere: true,
    values: "d",
    long: ["max-depth=", "human-readable", "summarize", "apparent-size"],
  }),
  df: files("hHkTPiam", { long: ["human-readable", "total"] }),
  file: files("bi", { long: ["brief", "mime", "mime-type"] }),
  tree: files("adfpshDFinC", {
    isHere: true,
    values: "LIP",
    isApart: true,
    long: ["dirsfirst", "noreport", "gitignore"],
  }),
  cd: files("PLe"),
  grep,
  egrep: grep,
  fgrep: grep,
  rg: {
    operands: "pattern",
    flags: `abcFHIilnNopPqsSuUvwx0`,
    values: "egtTmABCjdM",
    long: [
      ..."hidden no-ignore count json no-heading heading multiline files files-with-matches stats line-number".split(
        " ",
      ),
      ..."smart-case ignore-case fixed-strings word-regexp only-matching no-filename with-filename trim".split(" "),
      ..."type= glob= iglob= max-count= context= color= colors= sort= sortr= max-depth= regexp= type-not=".split(" "),
      ..."after-context= before-context= max-columns= vimgrep".split(" "),
    ],
    isHere: true,
    walks: ["always"],
  },
  pwd: nothing("LP"),
  true: words(""),
  false: words(""),
  ":": words(""),
  time: nothing(""),
  seq: words("w", { values: "s", only: /^[^%]*$/ }),
  sleep: words("", { only: /^[0-9.]+[smhd]?$/ }),
  tr: words("cCdst", { long: ["delete", "squeeze-repeats", "complement"] }),
  basename: words("az", { values: "s" }),
  dirname: words("z"),
  which: words("as"),
  type: words("afptP"),
  command: words("vV"),
  whoami: nothing(""),
  id: words("Ggnru"),
  groups: words(""),
  uname: nothing("asnrvmpio"),
  arch: nothing(""),
  nproc: nothing("", { long: ["all"] }),
  hostname: nothing("fsiI"),
  uptime: nothing("ps"),
  free: nothing("bkmght"),
  tty: nothing("s"),
  locale: nothing("a"),
  cal: words("13jmy"),
  date: words("uR", {
    values: "d",
    attached: "I",
    only: /^\+/,
    long: ["utc", "iso-8601", "iso-8601=", "date=", "rfc-3339="],
  }),
};

/** They tell their version without looking at the project they stand in. */
export const versioned: Readonly<Record<string, RegExp>> = {
  node: /^(?:-v|--version)$/,
  npm: /^(?:-v|--version)$/,
  git: /^(?:-v|--version)$/,
  python: /^(?:-V|--version)$/,
  python3: /^(?:-V|--version)$/,
  ruby: /^(?:-v|--version)$/,
  perl: /^-v$/,
  php: /^(?:-v|--version)$/,
  java: /^-{1,2}version$/,
  javac: /^-{1,2}version$/,
  make: /^(?:-v|--version)$/,
  cmake: /^--version$/,
  gcc: /^--version$/,
  "g++": /^--version$/,
  clang: /^--version$/,
  docker: /^(?:-v|--version)$/,
  deno: /^(?:-V|--version)$/,
  bun: /^(?:-v|--version)$/,
  tsc: /^(?:-v|--version)$/,
  gh: /^--version$/,
  jq: /^--version$/,
  rg: /^(?:-V|--version)$/,
  tmux: /^-V$/,
  bash: /^--version$/,
};
