import { hello, speak } from "./speak.mjs";

await speak((method) => {
  if (method === "hello") return hello([]);
  throw -32601;
});
