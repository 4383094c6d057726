/** `NAME=URL`, or an address that says the name as well. */
export function repositoryGiven(text: string): readonly [name: string, address: string] {
  const [, name, address] = /^([^=:@?]+)=(.+)$/.exec(text) ?? [];
  return name === undefined || address === undefined ? [repositoryName(text), text] : [repositoryName(name), address];
}

/**
 * A repository without how it is reached: `git@github.com:me/x.git` and `https://github.com/me/x`
 * are both `github.com/me/x`. No part of it is a login.
 */
export function repositoryName(address: string): string {
  const short = /^(?:[^/@:]+@)?([^/:]+):(?!\/\/)\/?(.+)$/.exec(address);
  const url = !short && URL.canParse(address) ? new URL(address) : undefined;
  const name = url ? `${url.hostname}${decodeURI(url.pathname)}` : short ? `${short[1]}/${short[2]}` : address;
  return name.replace(/\/+$/, "").replace(/\.git$/, "");
}
