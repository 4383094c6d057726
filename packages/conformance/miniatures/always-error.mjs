import { hello, speak } from "./speak.mjs";

await speak((method) => {
  if (method === "hello") return hello(["L0", "L1", "L2"]);
  throw 1006;
});
