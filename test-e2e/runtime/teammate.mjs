// A member of a team as a process of its own: it says what it is shown and each end of a turn, and
// is over with its team.
import { openSession, scriptedModel, seatOf } from "@troupe/runtime";
import { openFileStore } from "@troupe/store/files";

const { root, revision } = JSON.parse(process.argv[2]);
const team = await openFileStore({ root }).openTeam("crew");
const session = openSession({
  machine: { root, home: root, temporary: `${root}/tmp`, environment: { HOME: root } },
  project: { cwd: root },
  role: "You help.",
  options: { revision },
  key: { model: "m", betas: [] },
  model: scriptedModel(() => [{ type: "text", text: "done" }]),
  seat: await seatOf(team, "ann"),
  person: {
    ask: async () => ({ behavior: "deny", message: "nobody is here" }),
    show: (text) => console.log("shown", text),
  },
});
for await (const event of session.attendTeam(new AbortController().signal))
  if (event.why) console.log("turn", event.why);
console.log("ended");
await session.close();
