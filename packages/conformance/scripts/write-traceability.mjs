// Writes docs/conformance/traceability.md anew, after a change of clauses, checks or mutants: node
// packages/conformance/scripts/write-traceability.mjs
import { readFileSync, writeFileSync } from "node:fs";
import { allChecks, loadRequirements, revisions } from "@troupe/conformance";
import { parse } from "yaml";
import { traceability } from "../dist/traceability.js";
import { traceabilityPage } from "../dist/traceability-page.js";

const { mutants } = parse(readFileSync(new URL("../mutants/mutants.yaml", import.meta.url), "utf8"));
const traces = traceability(allChecks(), revisions.map(loadRequirements), mutants);
const page = new URL("../../../docs/conformance/traceability.md", import.meta.url);
writeFileSync(page, traceabilityPage(traces, mutants));
