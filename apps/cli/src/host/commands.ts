import { type Command, defineCommand } from "../command.ts";

const roleArg = { name: "role", summary: "the role of the database that the machine logs in with" } as const;

/** The commands by which teammates run on other machines. */
export const hostCommands: readonly Command[] = [
  defineCommand({
    name: "host",
    summary: "run teammates on this machine for leads on others",
    details:
      "Needs a store on PostgreSQL, with a role that troupe host add has admitted. Takes what leads ask for with --backend host or troupe spawn --host and runs it here, with this machine's keys and files: a repository that --repo names is fetched, each teammate works in a worktree of the commit that was asked for, and what it commits is pushed to a branch of its own, troupe/TEAM/NAME-EPOCH. Without a repository it works in an empty directory. When nothing was heard of this host for the length of its lease, another one may take what it ran; nothing is written by the first from then on. Stopped by a signal, it commits and pushes what its teammates leave, and gives their work back.",
    args: [],
    options: {
      repo: {
        value: "URL",
        isRepeated: true,
        summary:
          "teammates may work on this repository; NAME=URL where leads know it by another address than this machine",
      },
      backend: {
        value: "BACKEND",
        choices: ["process", "tmux"],
        summary: "where teammates run on this machine (default: process)",
      },
      model: {
        value: "MODEL",
        isRepeated: true,
        summary: "say that this model can be used here, as the label model:MODEL",
      },
      slots: { value: "N", summary: "how many teammates may run at once (default: 4)" },
      dir: {
        value: "DIR",
        completes: "directory",
        summary: "where clones and worktrees lie (default: ~/troupe-host)",
      },
      lease: {
        value: "SECONDS",
        summary: "after how long without a sign others may take what runs here (default: 20)",
      },
    },
    examples: [
      ["troupe host --repo git@github.com:me/parser.git", "with TROUPE_STORE set, and a key of this machine"],
      ["troupe host --slots 8 --backend tmux", "eight at once, each to be looked at with tmux"],
    ],
    isLive: true,
    load: () => import("./serve.ts"),
  }),
  defineCommand({
    name: "host add",
    summary: "admit a role of the database as a host",
    details:
      "The role exists already and has neither attributes nor memberships: createuser --pwprompt ROLE. It may take what leads ask for, and act as the teammates that it has taken; a lead asks for it with its labels or its role. Needs the role that owns the tables.",
    args: [roleArg],
    options: { label: { value: "LABEL", isRepeated: true, summary: "what leads can ask for, such as gpu or linux" } },
    examples: [["troupe host add build_7 --label gpu", "then troupe host on that machine"]],
    load: () => import("./add.ts"),
  }),
  defineCommand({
    name: "host remove",
    summary: "take a role out as a host",
    details:
      "What it writes for teammates from then on is refused, and what it ran waits for another host. Needs the role that owns the tables.",
    args: [roleArg],
    options: {},
    examples: [["troupe host remove build_7", "before the machine goes"]],
    load: () => import("./remove.ts"),
  }),
  defineCommand({
    name: "host list",
    summary: "list hosts with their slots, leases and teammates, and what waits for one",
    details: "A host sees itself alone.",
    args: [],
    options: {},
    examples: [["troupe host list", "which hosts are heard of, and what runs on them"]],
    load: () => import("./list.ts"),
  }),
];
