import type { Launch } from "../launch.ts";

/**
 * Run by a shell that has only the variables of the terminal: takes the environment from a file,
 * removes it, and becomes the program. A variable begins with `=`, a further line of it with `+`.
 * Where it fails it ends a moment later: of a program that ends at once tmux 3.3 loses about one in
 * a hundred times what it said.
 */
const starter = `trap '/bin/sleep 0.1' EXIT
troupe__file=$1
cd -- "$2" || exit
shift 2
troupe__variable=
while IFS= read -r troupe__line; do
  case $troupe__line in
    =*)
      [ -z "$troupe__variable" ] || export "$troupe__variable"
      troupe__variable=\${troupe__line#=} ;;
    *)
      troupe__variable="$troupe__variable
\${troupe__line#+}" ;;
  esac
done <"$troupe__file" || exit
[ -z "$troupe__variable" ] || export "$troupe__variable"
/bin/rm -f -- "$troupe__file"
exec "$@"`;

/** Forgets what the tmux server was started with. */
const forgetting = 'exec /usr/bin/env -i TERM="$TERM" TMUX="$TMUX" TMUX_PANE="$TMUX_PANE" /bin/sh -c "$0" troupe "$@"';

/**
 * The words of a pane that runs a program: tmux hands several words on without a shell of its user,
 * and the environment is in a file of its owner, since the words can be seen by everybody.
 */
export const paneWords = ({ file, args }: Launch, cwd: string, environmentFile: string): readonly string[] => [
  ...["/bin/sh", "-c", forgetting, starter, environmentFile, cwd],
  ...[file, ...args],
];

/** The file of an environment, and the names of variables that no shell takes. */
export function environmentText(environment: Launch["environment"]): { text: string; left: readonly string[] } {
  const all = Object.entries(environment).filter(([name]) => !fixed.has(name));
  const isTaken = ([name]: readonly [string, string]) => /^[A-Za-z_]\w*$/.test(name);
  const lines = all.filter(isTaken).map(([name, value]) => `=${name}=${value.replace(/\n/g, "\n+")}\n`);
  return { text: lines.join(""), left: all.filter((one) => !isTaken(one)).map(([name]) => name) };
}

/** Variables that say what terminal the pane is, or that shells let nobody change. */
const fixed: ReadonlySet<string> = new Set(
  "TERM TMUX TMUX_PANE UID EUID PPID SHELLOPTS BASHOPTS BASH_VERSINFO GROUPS".split(" "),
);
