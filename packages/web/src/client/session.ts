/**
 * Exchanges the token of the address for a cookie, and takes it out of the address and of the
 * history of the browser. False for a token that is not taken.
 */
export async function enter(): Promise<boolean> {
  const token = location.hash.slice(1);
  if (token === "" || token.startsWith("/")) return true;
  history.replaceState(null, "", "/#/now");
  const answer = await fetch("/session", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ token }),
  }).catch(() => undefined);
  return answer?.ok === true;
}
