// Does one operation, armed for the faults that were asked for, and says how it ended.
import { endOf, openAt, operations } from "./operations.mjs";

const { root, revision, operation, staleMs, isDurable, uid } = JSON.parse(process.argv[2]);
if (uid !== undefined) {
  process.setgid(uid);
  process.setuid(uid);
}
const store = openAt(root, { staleMs, isDurable });
process.emit("armed");
console.log(await endOf(operations[operation](store, revision)));
