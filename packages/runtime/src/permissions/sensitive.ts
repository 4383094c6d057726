/*
 * The rule behind these lists: a name is on them if a program that people run for something else
 * looks for it by itself, where it works, in a home, or on its way up from there, and does what it
 * says: runs it, loads code it names, or trusts whom it names. What is run on purpose (scripts,
 * tests, workflows, Makefiles) and what only chooses versions is a file like others.
 */

/** Directories: everything in them counts. */
const directories = new Set([
  // Version control, with hooks and settings that run programs.
  ...[".git", ".hg", ".jj", ".svn", ".husky", ".githooks", ".lefthook", ".lefthook-local"],
  // Agents and editors, with tasks, hooks and servers.
  ...[
    ".claude",
    ".codex",
    ".gemini",
    ".cursor",
    ".agents",
    ".opencode",
    ".windsurf",
    ".continue",
    ".kiro",
    ".roo",
    ".amazonq",
    ".qwen",
    ".factory",
  ],
  ...[".vscode", ".idea", ".fleet", ".zed", ".devcontainer", ".vim", ".emacs.d", ".helix"],
  // Places that people's programs are started from, and that say whom they trust.
  ...[".config", ".local", ".ssh", ".gnupg", ".aws", ".docker", ".kube", ".terraform.d", ".direnv", ".mise"],
  // Tools that load code before the project's own.
  ...[".cargo", ".rustup", ".yarn", ".gradle", ".mvn", ".m2", ".bundle", ".ipython", ".jupyter", ".nvm"],
]);

const shells =
  "bashrc bash_profile bash_login bash_logout bash_aliases bash_completion profile login logout zshrc zshenv zprofile zlogin zlogout " +
  "kshrc mkshrc cshrc tcshrc inputrc envrc pam_environment xinitrc xprofile xsession";
const programs =
  "gitconfig gitmodules gitattributes hgrc ripgreprc ackrc tigrc lessfilter lesskey mailcap curlrc wgetrc netrc tmux.conf screenrc " +
  "vimrc gvimrc exrc nvimrc nvim.lua emacs dir-locals.el dir-locals-2.el gdbinit gdbearlyinit lldbinit bazelrc terraformrc asdfrc " +
  "nanorc mailrc forward rhosts shosts buckconfig buckconfig.local direnvrc autoenv autoenv.zsh rtx.toml";
const languages =
  "npmrc yarnrc yarnrc.yml pnpmfile.cjs pnpmfile.mjs pnp.cjs pnp.loader.mjs bunfig.toml pythonrc pythonrc.py pythonstartup pdbrc " +
  "pdbrc.py irbrc pryrc rdbgrc gemrc rprofile renviron ghci psqlrc sqliterc my.cnf " +
  "perldb octaverc byebugrc condarc pypirc xonshrc jvmopts sbtopts";
const agents = "mcp.json claude.json aider.conf.yml pre-commit-config.yaml pre-commit-config.yml overcommit.yml";

/** Files, in small letters. */
const files = new Set([
  ...[shells, programs, languages, agents]
    .join(" ")
    .split(" ")
    .map((name) => `.${name}`),
  ...["bunfig.toml", "sitecustomize.py", "usercustomize.py"],
]);

/** Names that are one family: `mise.toml`, `.mise.local.toml`, `lefthook-local.yml`. */
const families =
  /^(?:\.?(?:mise(?:\.[\w-]+)*\.toml|lefthook(?:-local)?\.(?:ya?ml|toml|jsonc?))|\.huskyrc(?:\.\w+)?|.+\.code-workspace)$/;

/**
 * Does this name make other programs run or trust something? Case, and signs that some disks do not
 * see, make no difference.
 */
export function isSensitive(name: string): boolean {
  const folded = name
    .normalize("NFKC")
    .replace(/\p{Cf}/gu, "")
    .toLowerCase();
  return directories.has(folded) || files.has(folded) || families.test(folded);
}

/**
 * Files that make a directory a repository for git, wherever it lies: its settings and hooks run
 * programs then.
 */
export const bareRepository: readonly (readonly string[])[] = [
  ["HEAD", "objects", "refs"],
  ["HEAD", "commondir"],
];

/** Whether writing this may be one step on the way to such a directory. */
export const mayMakeRepository = (path: string): boolean =>
  path.split("/").some((name) => /^(?:head|objects|refs|commondir)$/i.test(name));
