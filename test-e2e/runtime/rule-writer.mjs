// A program that is granted one rule after the other, for good.
import { createPermissions } from "@troupe/runtime";
import { askNobody } from "@troupe/team";

const [, , file, name, count] = process.argv;
const permissions = createPermissions({
  cwd: "/",
  home: "/",
  mode: "default",
  rules: [],
  directories: [],
  isBypassAvailable: false,
  ask: askNobody,
  timeoutMs: 1_000,
  newId: () => "question",
  files: new Map([["userSettings", file]]),
});
for (let at = 0; at < Number(count); at += 1) {
  const rules = [{ toolName: "Bash", ruleContent: `${name} ${at}` }];
  for (const fault of await permissions.apply([
    { type: "addRules", rules, behavior: "allow", destination: "userSettings" },
  ]))
    console.log(fault);
}
