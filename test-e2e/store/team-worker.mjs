// A process that works on a whole team through the store. What it prints is what it was told is
// done, or how it was refused.
import { openFileStore } from "@troupe/store/files";
import { stamped } from "./stamped.mjs";

const { job, root, name, count } = JSON.parse(process.argv[2]);
const team = await openFileStore({ root }).openTeam("t");
const draft = { agentType: "general-purpose", model: "m", prompt: "go", joinedAt: 1, cwd: "/" };
const refusal = (error) => `${error.name} ${error.code}: ${error.message}`;

const writes = {
  send: async (me) => me.send("bob", { text: "x".repeat(1_000) }),
  create: async () => team.tasks.create({ subject: "s", description: "" }),
  claim: async () => team.tasks.claimNext(name),
  update: async () => team.updateMember(name, { isActive: true }),
  pass: async (_, n) => team.join({ name: `${name}-${n}`, ...draft }).then(() => team.leave(`${name}-${n}`)),
};

const jobs = {
  async join() {
    for (let n = 0; n < count; n += 1)
      await stamped(`${name}-${n}`, () =>
        team.join({ name: `${name}-${n}`, ...draft }).then(({ color }) => color, refusal),
      );
  },
};

/** The same again and again, until it is refused. */
async function until(write) {
  const me = await team.as(name);
  let last;
  for (let n = 0; last === undefined; n += 1) {
    if (n === 3) console.log("under way");
    await write(me, n).catch((error) => {
      last = refusal(error);
    });
  }
  console.log(last);
}
await (job in jobs ? jobs[job]() : until(writes[job]));
