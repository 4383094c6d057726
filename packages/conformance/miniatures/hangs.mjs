import { hello, speak } from "./speak.mjs";

await speak((method) => (method === "hello" ? hello(["L0", "L1"]) : undefined));
