/** The screens of a team, in the order of the keys 2 to 9. */
export const screens = ["board", "requests", "threads", "timeline", "cost", "members"] as const;
export type Screen = "now" | "doctor" | "member" | (typeof screens)[number];

/** What the address says is shown: all that the page has of a state. */
export interface Route {
  readonly screen: Screen;
  readonly team: string | undefined;
  /** A member, or the two of a conversation. */
  readonly of: readonly string[];
  /** What is searched for. */
  readonly q: string;
  /** The task, request or view that is chosen. */
  readonly pick: string;
}

const isScreen = (word: string): word is (typeof screens)[number] | "member" =>
  word === "member" || screens.some((one) => one === word);

/** Reads the part of an address behind its `#`; what cannot be read is the first screen. */
export function routeIn(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#/, "").split("?");
  const asked = new URLSearchParams(query);
  const besides = { q: asked.get("q") ?? "", pick: asked.get("pick") ?? "" };
  const words = path.split("/").slice(1).map(decoded);
  const [kind, team = "", screen = "board", ...of] = words;
  if (kind === "doctor") return { screen: "doctor", team: undefined, of: [], ...besides };
  if (kind !== "team" || team === "") return { screen: "now", team: undefined, of: [], ...besides };
  return { screen: isScreen(screen) ? screen : "board", team, of: of.filter(Boolean), ...besides };
}

function decoded(word: string): string {
  try {
    return decodeURIComponent(word);
  } catch {
    return word;
  }
}

/** The address of what is to be shown. */
export function hashOf({ screen, team, of = [], q = "", pick = "" }: Partial<Route> & Pick<Route, "screen">): string {
  const words = team === undefined ? [screen] : ["team", team, screen, ...of];
  const asked = new URLSearchParams();
  if (q !== "") asked.set("q", q);
  if (pick !== "") asked.set("pick", pick);
  const query = asked.size > 0 ? `?${asked}` : "";
  return `#/${words.map(encodeURIComponent).join("/")}${query}`;
}
