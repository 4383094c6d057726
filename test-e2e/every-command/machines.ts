import type { Trial } from "./trial.ts";

/** Of commands about teams on several machines, which are tried with a database elsewhere. */
export const machineTrials: Readonly<Record<string, Trial>> = {
  "store migrate": {
    wrong: [
      [[], 2, "name a database with --store"],
      [["--store", "mysql://u:secret@h/d"], 2, "the store has to be postgres://USER@HOST/DATABASE, or files"],
    ],
    options: {},
    more: { elsewhere: "postgres/command-line.test.ts", runs: ['"store", "migrate"'] },
  },
  "store check": {
    wrong: [[[], 2, "name a database with --store"]],
    options: {},
    more: { elsewhere: "postgres/command-line.test.ts", runs: ['"store", "check"'] },
  },
  "store import": {
    wrong: [[[], 2, "name a database with --store"]],
    options: {},
    more: { elsewhere: "postgres/command-line.test.ts", runs: ['"store", "import", sample'] },
  },
  "store export": {
    words: ["{home}/there"],
    wrong: [
      [[], 2, "store export needs <dir>"],
      [["{home}/there"], 2, "name a database with --store"],
    ],
    options: {},
    more: { elsewhere: "postgres/command-line.test.ts", runs: ['"store", "export", back'] },
  },
  bridge: {
    words: ["--host", "desk"],
    wrong: [
      [["--host", "desk"], 2, "name a database with --store"],
      [["--store", "postgres://nobody@localhost/none"], 2, "say with --host NAME"],
    ],
    options: {
      host: { elsewhere: "postgres/bridge/command.test.ts", runs: ['"--host"'] },
      once: { elsewhere: "postgres/bridge/command.test.ts", runs: ['"--once"'] },
    },
    more: { elsewhere: "postgres/bridge/command.test.ts", runs: ['"bridge"'] },
  },
  "host add": {
    words: ["build_7"],
    wrong: [
      [[], 2, "host add needs <role>"],
      [["build_7"], 2, "name a database with --store"],
    ],
    options: { label: { elsewhere: "hosts/stage.ts", runs: ['"host", "add", role, "--label"'] } },
    more: { elsewhere: "hosts/stage.ts", runs: ['"host", "add"'] },
  },
  "host remove": {
    words: ["build_7"],
    wrong: [[["build_7"], 2, "name a database with --store"]],
    options: {},
    more: { elsewhere: "hosts/one-host.test.ts", runs: ['"host", "remove"'] },
  },
  "host list": {
    wrong: [[[], 2, "name a database with --store"]],
    options: {},
    more: { elsewhere: "hosts/one-host.test.ts", runs: ['"host", "list"'] },
  },
  host: {
    wrong: [
      [[], 2, "name a database with --store"],
      [["--backend", "screen"], 2, "--backend"],
    ],
    options: {
      repo: { elsewhere: "hosts/stage.ts", runs: ['"--repo"'] },
      backend: { elsewhere: "hosts/one-host.test.ts", runs: ['"--backend", "process"'] },
      model: { elsewhere: "hosts/one-host.test.ts", runs: ['"--model", "haiku"'] },
      slots: { elsewhere: "hosts/one-host.test.ts", runs: ['"--slots", "3"', '"--slots", "x"'] },
      dir: { elsewhere: "hosts/one-host.test.ts", runs: ['"--dir"'] },
      lease: { elsewhere: "hosts/one-host.test.ts", runs: ['"--lease", "600"', '"--lease", "0"'] },
    },
    more: { elsewhere: "hosts/stage.ts", runs: ['"host"'] },
  },
};
