import { type Coverage, openCoverage, type Ran } from "./coverage.ts";
import { agentCall, permissionQuestion, sendMessage, type Walk } from "./walks.ts";

/** Files that run on a path and do not act on it: to act is to decide, change or perform. */
const asides = {
  "codecs and folds": [
    /^protocol\//,
    /^runtime\/journal\/(state|chain|spent|lines|fork-tag)$/,
    /^team\/(events|ledger\/(fold|grown))$/,
    /^store\/files\/message-keys$/,
  ],
  "documents on disk": [
    /^store\/files\/(lock|publication|document|directory|named-file|team)$/,
    /^runtime\/(real-path|whole-file|agents\/run-facts)$/,
  ],
  guards: [/^store\/(checked|files\/checked)$/, /^runtime\/journal\/lease$/, /^team\/lead$/, /^runtime\/agent\/bound$/],
  wiring: [
    /^runtime\/session\/(open|seat|seats)$/,
    /^runtime\/agent\/(agent|open|conversation|seen-files|shells)$/,
    /^runtime\/(tools\/index|loop\/(abort|pause|typed-tool)|journal\/ledger|permissions\/permissions)$/,
    /^store\/(waits|participant-tasks|files\/(file-store|own-directory|delivery))$/,
    /^team\/(membership|person|handshakes\/handshake)$/,
  ],
  "hooks that nobody has set": [/^runtime\/hooks\//],
  "requests as they are sent": [
    /^runtime\/(model|prompt)\//,
    /^runtime\/agents\/(subagent-prompt|memory-place|preload|listing)$/,
    /^runtime\/session\/main-model$/,
  ],
  words: [/^team\/words$/, /^runtime\/(loop\/outcome|tools\/agent-outcome|jobs\/background-task|agents\/route-words)$/],
  tables: [/^runtime\/project\//, /^runtime\/permissions\/(ruling|rule|place)$/],
  // Of what a session keeps of its own, events reach the debug log alone.
  reports: [
    /^store\/files\/events$/,
    /^runtime\/(session\/team-events|session\/noted|own\/.+)$/,
    /^team\/(activity|ledger\/recorded)$/,
  ],
};

interface Path {
  readonly walk: Walk;
  readonly most: number;
  /** Files that act elsewhere, and here have nothing to do or hand on what others do. */
  readonly idle: readonly string[];
}

const declining = ["permission", "plan", "shutdown"].map((one) => `team/handshakes/${one}`);
const unasked = [
  "runtime/loop/compact",
  "runtime/permissions/beforehand",
  "runtime/queue",
  "runtime/session/typed-shell",
  "runtime/jobs/jobs",
  "runtime/permissions/modes",
];
/** The answer of the model was written down before the call is judged, and the turn goes on. */
const around = ["runtime/loop/run", "runtime/loop/decide", "runtime/session/turns", ...unasked];

const paths: Readonly<Record<string, Path>> = {
  "SendMessage until the teammate's next request": { walk: sendMessage, most: 12, idle: [...declining, ...unasked] },
  "an Agent call until the notice of its end": {
    walk: agentCall,
    most: 14,
    idle: [
      "runtime/session/turns",
      "runtime/agents/servers",
      "runtime/jobs/jobs",
      "runtime/jobs/afterwards",
      "runtime/loop/compact",
      "runtime/permissions/beforehand",
    ],
  },
  "a teammate's permission question": { walk: permissionQuestion(false), most: 10, idle: around },
  "the same, where the answer is kept": { walk: permissionQuestion(true), most: 12, idle: around },
};

/** Prints which files act on the paths that the house is measured by; says whether they are few. */
export async function printPaths(): Promise<boolean> {
  const coverage = await openCoverage();
  const counts = [];
  for (const [name, path] of Object.entries(paths)) counts.push(await printPath(name, path, coverage));
  coverage.close();
  return counts.every(Boolean);
}

async function printPath(name: string, { walk, most, idle }: Path, coverage: Coverage): Promise<boolean> {
  const ran = await walk(coverage);
  const groupOf = ({ file }: Ran) =>
    idle.includes(file)
      ? "idle"
      : Object.entries(asides).find(([, patterns]) => patterns.some((pattern) => pattern.test(file)))?.[0];
  const listed = (files: readonly Ran[]) =>
    files.map(({ file, lines }) => `${file.replace("/files/", "/")}:${lines}`).sort();
  const acting = listed(ran.filter((one) => groupOf(one) === undefined));
  console.log(`${name}: ${acting.length} files act (at most ${most})`);
  for (const one of acting) console.log(`  ${one}`);
  for (const group of [...Object.keys(asides), "idle"]) {
    const files = listed(ran.filter((one) => groupOf(one) === group));
    if (files.length > 0) console.log(`  (${group}: ${files.join(" ")})`);
  }
  return acting.length <= most;
}
