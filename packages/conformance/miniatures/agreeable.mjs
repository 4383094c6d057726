// What somebody answers who says yes to everything and does nothing.

/** @type {Readonly<Record<string, Readonly<Record<string, unknown>>>>} */
const answers = {
  validate: { valid: true, problems: [], normalized: {} },
  "team.create": { team: "t" },
  "team.get": { config: {} },
  "team.list": { teams: [] },
  "member.add": { member: {} },
  "task.create": { id: "1" },
  "task.get": { task: {} },
  "task.list": { tasks: [] },
  "task.claim": { claimed: true },
  "inbox.read": { messages: [] },
};

/** @param {string} method */
export const yesTo = (method) => answers[method] ?? {};
