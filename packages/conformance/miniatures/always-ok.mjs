import { yesTo } from "./agreeable.mjs";
import { hello, speak } from "./speak.mjs";

await speak((method) => (method === "hello" ? hello(["L0", "L1", "L2"]) : yesTo(method)));
