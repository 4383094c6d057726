import { programOf } from "./part-use.ts";
import type { Part } from "./shell/part.ts";
import { withoutGitOptions } from "./shell/wrapper.ts";

/** To read files, to write them, or both. */
export interface Access {
  readonly read: boolean;
  readonly write: boolean;
}

const named = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

const shut = named("echo printf test [ : true false exit return kill wait export unset local shift read sleep seq cd");
const removers = named("rm rmdir mv shred unlink chmod chown chgrp trash rimraf");
const searchers = /^(?:\w*grep|rg|rga|ug|ag|ack|sift|pt)$/;
const unpackers = /^(?:tar|gtar|star|bsdtar|unzip|patch|cpio|pax|ar|7\w*)$/;
/** These programs act on a named directory alone. */
const shallow = named(
  "mkdir mktemp touch pushd popd ls du df stat basename dirname realpath readlink open xdg-open code",
);
/**
 * They are told directories to work in all day, and show nothing of what lies there but what
 * concerns them.
 */
const workers = named(
  "npm pnpm yarn bun npx node deno tsc eslint prettier biome oxlint vitest jest mocha playwright turbo nx vite webpack rollup esbuild " +
    "python python3 pip pip3 uv poetry pytest tox ruff black isort mypy pyright ruby bundle rake rspec rubocop php composer phpunit " +
    "go gofmt golangci-lint cargo rustfmt make cmake ctest ninja meson bazel gradle gradlew mvn mvnw dotnet swift java javac gcc g++ " +
    "clang clang-format terraform helm kubectl bash sh zsh dash source . troupe claude",
);

/**
 * Subcommands of git that show nothing of what files hold, if nothing in their words asks for it.
 */
const quiet = named(
  "add am apply bisect branch checkout cherry cherry-pick clean clone commit config describe fetch fsck gc help init lfs ls-files ls-remote " +
    "ls-tree merge mv prune pull push rebase remote repack reset restore rev-list rev-parse revert rm shortlog show-ref stash status " +
    "switch symbolic-ref tag update-index update-ref version",
);
const shows = /^-[A-Za-z]*[pviU]|^--(?:patch|verbose|interactive|unified|no-index)/;
/** Subcommands of git that leave the files as they are. */
const still = named(
  "add annotate archive blame branch bundle cat-file check-attr check-ignore cherry commit config count-objects describe diff diff-files " +
    "diff-index diff-tree difftool fast-export fetch for-each-ref format-patch fsck gc grep hash-object help init log ls-files ls-remote " +
    "ls-tree maintenance merge-base name-rev notes prune push range-diff reflog remote repack rev-list rev-parse shortlog show show-ref " +
    "status symbolic-ref tag update-index update-ref var verify-commit verify-tag version whatchanged",
);

/** It opens no file, whatever its words are. */
export const opensNothing = (part: Part): boolean => shut.has(programOf(part));

/** Access to everything below a directory that a program is told; an unknown program has all. */
export function takesAll(part: Part): Access {
  const program = programOf(part);
  if (part.isTransparent || shallow.has(program)) return { read: false, write: false };
  if (program !== "git") return { read: !workers.has(program), write: true };
  const isCopy = part.words.some(({ text }) => /^(?:clone|worktree|--no-index)$/.test(text));
  return { read: isCopy, write: opensHere(part).write };
}

/** It changes a directory with everything in it. */
export const removesWhole = (part: Part): boolean => removers.has(programOf(part));

/** Without being told a file it may read those below the place where it stands, or change them. */
export function opensHere(part: Part): Access {
  const program = programOf(part);
  const words = part.words.map(({ text }) => text);
  if (program === "git") {
    const name = (withoutGitOptions(part.words) ?? part.words)[1]?.text ?? "";
    return { read: !quiet.has(name) || words.some((word) => shows.test(word)), write: !still.has(name) };
  }
  if (program === "find") return { read: false, write: words.includes("-delete") };
  const isPack =
    /^(?:npm|pnpm|yarn|bun|hg)$/.test(program) && words.some((word) => /^(?:pack|publish|archive)$/.test(word));
  const isExec = /^fd(?:find)?$/.test(program) && words.some((word) => /^-\w*[xX]|^--exec/.test(word));
  return { read: searchers.test(program) || isPack || isExec, write: unpackers.test(program) || isExec };
}

/** Of what lies below, `git` looks at files that it keeps, if it is not told to look at others. */
export const keepsToTracked = (part: Part): boolean =>
  programOf(part) === "git" &&
  !part.words.some(({ text }) => /untracked|^--(?:no-index|others)|^-[A-Za-z]*u/.test(text));
