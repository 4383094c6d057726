import type { Options } from "./options.ts";

/** How a subcommand of git that only looks is to be called for nobody to be asked. */
export interface Subcommand extends Options {
  /** Its operands are revisions and paths; else it takes only these words. */
  readonly words?: RegExp;
  /** It shows what files hold: always, or where it is told to. */
  readonly shows?: "always" | "told";
}

const digits = "0123456789";
const choosing = [
  ..."all first-parent merges no-merges reverse oneline graph decorate decorate= abbrev-commit no-color color color=".split(
    " ",
  ),
  ..."since= until= after= before= author= grep= pretty= pretty format= max-count= skip= date= branches tags remotes".split(
    " ",
  ),
  ..."follow left-right cherry-pick topo-order date-order no-decorate source no-walk count".split(" "),
];
const differing = [
  ..."stat name-only name-status cached staged numstat shortstat patch no-patch diff-filter= unified= word-diff".split(
    " ",
  ),
  ..."no-ext-diff no-textconv summary dirstat find-renames ignore-all-space ignore-space-change minimal patience".split(
    " ",
  ),
  ..."histogram color-words merge-base raw no-renames exit-code quiet check stat= compact-summary".split(" "),
];
const history: Options = {
  flags: `${digits}pusabwMCRzi`,
  values: "nSGL",
  attached: "U",
  long: [...choosing, ...differing],
};
const list: Options & { words: RegExp } = { words: /^$/ };
const names = /^(?!-)[\w./*?@{}~^-]+$/;
const filters = ["list", "merged", "no-merged", "contains", "no-contains", "points-at", "sort=", "format="];

export const subcommands: Readonly<Record<string, Subcommand>> = {
  status: {
    flags: "sbvz",
    attached: "u",
    long: ["short", "branch", "porcelain", "porcelain=", "long", "untracked-files=", "ignored", "show-stash"],
    shows: "told",
  },
  log: { ...history, shows: "told" },
  show: { ...history, shows: "always" },
  diff: { ...history, shows: "always" },
  grep: {
    flags: `nilcvwhHEFPGqaI${digits}`,
    values: "eABCm",
    long: [
      "line-number",
      "ignore-case",
      "count",
      "files-with-matches",
      "word-regexp",
      "cached",
      "untracked",
      "show-function",
    ],
    shows: "always",
  },
  "diff-tree": { ...history, flags: `${digits}prst`, shows: "told" },
  blame: { flags: "wsefCMlt", values: "L", long: ["porcelain", "line-porcelain", "date="], shows: "always" },
  shortlog: { flags: "sne", long: [...choosing, "summary", "numbered", "email"] },
  reflog: { ...history, words: /^(?!expire|delete|drop|write)[\w./@{}~^-]+$/, shows: "told" },
  "rev-list": { long: choosing, values: "n" },
  "rev-parse": {
    long: [
      ..."show-toplevel abbrev-ref abbrev-ref= short short= verify is-inside-work-tree git-dir git-common-dir".split(
        " ",
      ),
      "symbolic-full-name",
      "show-prefix",
      "show-cdup",
      "is-bare-repository",
      "all",
      "branches",
      "tags",
    ],
  },
  "ls-files": {
    flags: "codmsktuz",
    long: [
      "others",
      "exclude-standard",
      "cached",
      "modified",
      "deleted",
      "stage",
      "ignored",
      "full-name",
      "error-unmatch",
    ],
  },
  "ls-tree": { flags: "rdtlz", long: ["name-only", "name-status", "full-name", "full-tree", "long", "abbrev="] },
  "cat-file": { flags: "tspe", shows: "always" },
  describe: { long: ["tags", "all", "always", "long", "abbrev=", "exact-match", "dirty", "match="] },
  "merge-base": { flags: "a", long: ["all", "is-ancestor", "fork-point", "octopus"] },
  "name-rev": { long: ["name-only", "tags", "all"] },
  "show-ref": { flags: "dsq", long: ["heads", "tags", "head", "hash", "verify", "branches"] },
  "for-each-ref": { long: ["format=", "sort=", "count=", "merged=", "no-merged=", "contains="] },
  "count-objects": { ...list, flags: "vH" },
  "check-ignore": { flags: "qvn" },
  branch: {
    words: names,
    flags: "avrl",
    long: [...filters, "all", "remotes", "show-current", "verbose", "no-color"],
  },
  tag: { words: names, flags: "ln0123456789", long: filters },
  remote: { flags: "v", words: /^(?:get-url|[\w-]+)$/ },
  stash: {
    words: /^(?:list|show|stash@\{[0-9]+\}|[0-9]+)$/,
    flags: "pu",
    long: ["stat", "name-only", "oneline", "patch"],
    shows: "told",
  },
  worktree: { words: /^list$/, flags: "v", long: ["porcelain"] },
  config: {
    words: /^[\w.-]+$/,
    flags: "l",
    long: ["get", "get-all", "list", "show-origin", "show-scope", "local", "name-only"],
  },
  version: list,
};
