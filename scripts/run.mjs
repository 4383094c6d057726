// npm run <goal> ends here. Only relative imports stand above the version check: an old Node must
// reach it to print it.
import { nodeTooOld } from "./node-version.mjs";

const [goal, ...args] = process.argv.slice(2);
const problem = nodeTooOld(process.versions.node);

if (problem) {
  console.error(problem);
  process.exitCode = 1;
} else {
  import("./goals.mjs").then(({ reach }) => reach(goal, args));
}
