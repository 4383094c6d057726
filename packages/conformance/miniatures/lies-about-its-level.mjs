import { hello, speak } from "./speak.mjs";

await speak((method) => {
  if (method === "hello") return hello(["L2"]);
  if (method === "validate") return { valid: true, problems: [] };
  throw -32601;
});
