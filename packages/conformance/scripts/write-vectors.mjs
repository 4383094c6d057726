// Copies right and wrong documents of the protocol's corpus as vectors for `validate`: node
// scripts/write-vectors.mjs The file of a wrong document says which field is at fault; the table
// below says which clause speaks of that field.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";

const corpus = new URL("../../protocol/corpus/", import.meta.url);

/**
 * The clause for a schema and the beginning of a file's name, the first that fits; two clauses
 * where the revisions differ.
 * @type {Readonly<Record<string, readonly (readonly [RegExp, readonly string[]])[]>>}
 */
const clauses = {
  "team-config": [
    [/^createdAt/, ["ATP-CFG-002"]],
    [/^leadAgentId/, ["ATP-CFG-003"]],
    [/^leadSessionId/, ["ATP-CFG-004"]],
    [/^(leadProcess|pid|procStart|claimedAt)/, ["ATP-CFG-102"]],
    [/^(agentId|members-holds)/, ["ATP-MEM-001"]],
    [/^joinedAt/, ["ATP-MEM-006"]],
    [/^name-(of-a-member-)?(is-a-path|has-a-nul|begins-with-a-dot|has-two-dots|ends-with-a-dot)/, ["ATP-FS-006"]],
    [/./, ["ATP-CFG-013"]],
  ],
  task: [
    [/^status/, ["ATP-TSK-006"]],
    [/^owner/, ["ATP-TSK-013"]],
    [/^metadata/, ["ATP-TSK-014"]],
    [/^createdAt/, ["ATP-TSK-015"]],
    [/^(subject|description|activeForm)/, ["ATP-TSK-019"]],
    [/^block/, ["ATP-TSK-005"]],
    [/^(id|document)/, ["ATP-TSK-001"]],
  ],
  inbox: [
    [/^timestamp-is-missing/, ["ATP-INB-001", "ATP-INB-101"]],
    [/^timestamp/, ["ATP-INB-002"]],
    [/^(color|summary)/, ["ATP-INB-018"]],
    [/^lead_sig/, ["ATP-INB-111"]],
    [/^msg_id/, ["ATP-INB-106"]],
    [/./, ["ATP-INB-001", "ATP-INB-101"]],
  ],
};
/** Right by its schema, and wrong by what no schema can say: its leadAgentId names nobody. */
const beyondSchemas = ["no-members.json"];
const kinds = { "team-config": "config", task: "task", inbox: "inbox" };
/**
 * What the right documents of a schema show: that readers take what the clause allows.
 * @type {Readonly<Record<string, readonly string[]>>}
 */
const rightClauses = {
  "team-config": ["ATP-CFG-013"],
  task: ["ATP-TSK-006"],
  inbox: ["ATP-INB-001", "ATP-INB-101"],
};

for (const revision of ["2026-02", "2026-11"]) {
  const rows = Object.entries(kinds).flatMap(([schema, kind]) =>
    ["right", "wrong"].flatMap((side) => {
      const folder = new URL(`${side}/${revision}/${schema}/`, corpus);
      return readdirSync(folder)
        .filter((file) => !beyondSchemas.includes(file))
        .sort()
        .map((file) => ({
          name: `${schema}/${file.replace(/\.json$/, "")}`,
          kind,
          valid: side === "right",
          requirements:
            side === "right" ? rightClauses[schema] : clauses[schema]?.find(([field]) => field.test(file))?.[1],
          // No string of JSON holds a line break, so that this takes layout alone away.
          text: readFileSync(new URL(file, folder), "utf8").replace(/\n */g, ""),
        }));
    }),
  );
  const lines = rows.map((row) => `  ${JSON.stringify(row)}`);
  writeFileSync(new URL(`../cases/vectors/${revision}.json`, import.meta.url), `[\n${lines.join(",\n")}\n]\n`);
  console.log(`${revision}: ${rows.length} vectors`);
}
