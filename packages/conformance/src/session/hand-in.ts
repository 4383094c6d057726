import { assertThat } from "./assert.ts";
import type { Letter, Post } from "./post.ts";
import type { Puppet } from "./puppets.ts";
import type { Waiting } from "./waiting.ts";

/**
 * Has a planning teammate write its plan where it was told to, and hand it in; its letter to the
 * lead.
 */
export async function handIn(
  { mate }: { readonly mate: Puppet },
  { post, until }: { readonly post: Post } & Pick<Waiting, "until">,
  plan: string,
): Promise<Letter> {
  const requests = () => post.to("team-lead").filter(({ body }) => body["type"] === "plan_approval_request");
  const before = requests().length;
  const told = JSON.stringify(await mate.asked());
  const [path] = /\/[\w./@+-]+\/plans\/[\w.-]+\.md/.exec(told) ?? [];
  if (path !== undefined) {
    const [written] = await mate.does(["Write", { file_path: path, content: plan }]);
    assertThat(written?.isError === false, "the plan cannot be written where it was told to stand", { path, written });
  }
  await mate.calls(["ExitPlanMode", path === undefined ? { plan } : {}]);
  return until("the plan in the lead's inbox", () => requests()[before]);
}
