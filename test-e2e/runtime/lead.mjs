// A lead as a process of its own: it makes a team with one teammate, which records it where the
// revision does, and waits.
import { openFileStore, thisProcess } from "@troupe/store/files";

const { root, revision } = JSON.parse(process.argv[2]);
const at = { cwd: root, createdAt: Date.now() };
const leadProcess = { ...thisProcess(), claimedAt: at.createdAt };
const draft = { name: "crew", leadSessionId: "s", leadModel: "m", leadProcess, revision, ...at };
const team = await openFileStore({ root }).createTeam(draft);
await team.join({ name: "ann", agentType: "worker", model: "m", prompt: "p", joinedAt: at.createdAt, cwd: root });
console.log("leads");
setInterval(() => {}, 1_000);
