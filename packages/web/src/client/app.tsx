import { render } from "preact";
import { listenToKeys } from "./keys.ts";
import { routeIn } from "./models/route.ts";
import { route } from "./place.ts";
import { enter } from "./session.ts";
import { Shell } from "./shell.tsx";
import { follow } from "./stream.ts";
import { isLocked } from "./views.ts";

isLocked.value = !(await enter());
route.value = routeIn(location.hash);
listenToKeys();
render(<Shell />, document.body);
follow();
