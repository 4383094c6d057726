// Works on the root of its environment and no other: it does not answer that it has turned to
// another one.
import { hello, speak } from "./speak.mjs";

await speak((method) => {
  if (method === "hello") return hello(["L0", "L1"]);
  if (method === "reset") throw 1006;
  return {};
});
