// Shows what a target sees of its surroundings, is slow to claim, and says what no schema allows
// when a task is asked for.
import { setTimeout } from "node:timers/promises";
import { hello, speak } from "./speak.mjs";

await speak((method) => {
  if (method === "hello") return hello(["L0", "L1"]);
  if (method === "team.get") return { config: { env: process.env, cwd: process.cwd() } };
  if (method === "task.get") return { task: "a text" };
  if (method === "task.claim") return setTimeout(150, { claimed: false, reason: "blocked" });
  return {};
});
