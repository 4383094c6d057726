import { ageText } from "../age.ts";
import type { Answer, Call } from "../command.ts";
import { pastSessions } from "./past-sessions.ts";

/** The sessions of this folder, the newest first. */
export async function run(call: Call<object, { all?: boolean }>): Promise<Answer> {
  const sessions = pastSessions(call, call.options.all ? Number.POSITIVE_INFINITY : undefined);
  return {
    document: {
      cwd: call.cwd,
      sessions: sessions.map(({ id, title, at }) => ({ id, title, at: new Date(at).toISOString() })),
    },
    text: [
      {
        rows: sessions.map(({ id, title, at }) => [
          { text: id, style: "bold" },
          `${ageText(call.now().getTime() - at)} ago`,
          title.slice(0, 80),
        ]),
      },
    ],
    remark:
      sessions.length === 0
        ? `no session was held in ${call.cwd}: troupe -p begins one`
        : "troupe --resume ID goes on with one",
  };
}
