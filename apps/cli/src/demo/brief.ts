/**
 * The task of the lead, word for word what a person would type; a team that is kept stays to be
 * looked at.
 */
export const briefFor = (
  isKept: boolean,
): string => `Lead a small team on the repository in this folder. It counts words, and one of its tests fails.

1. Make the team "demo" with three tasks: #1 "Fix words() for blanks" (words.mjs, until words.test.mjs passes), #2 "Add longest()"
   (longest.mjs: the longest word of a text, with longest.test.mjs), #3 "Write README.md and an example that runs". #3 waits for #1 and #2.
2. Add three teammates of the type general-purpose: ann for #1; bob for #2, with isolation worktree; cleo for #3, with mode plan.
   Each claims its task, runs what it wrote with node, commits it and completes the task.
3. Judge cleo's plan: send it back if it does not say how the result is checked.
4. If a teammate ends without a word, add it again under the same name; it goes on with what is in its folder.
5. When #1 and #2 are completed, merge bob's branch worktree-agent-bob, and tell cleo to go on with #3.
6. When #3 is completed, run all tests with node --test, and read words.mjs, longest.mjs and README.md.
   Then have each of the three reviewed by a fork of yours ("Review words.mjs" and so on, without subagent_type). When all
   three have reported, have the same done by three agents of the type general-purpose, which start knowing nothing.
7. Ask all teammates to end, ${isKept ? "leave the team as it is" : "delete the team"}, and report in one sentence.`;
