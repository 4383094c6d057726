import { hello, speak } from "./speak.mjs";

await speak((method) => {
  if (method === "hello") return hello(["L0", "L1"]);
  process.stdout.write("Working on it, please wait…\n");
  return undefined;
});
