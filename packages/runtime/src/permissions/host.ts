/**
 * The host of an address as every client spells it; undefined for what is no address of the web.
 */
export function hostOf(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { protocol, hostname } = new URL(url);
  const host = withIpv4(hostname.toLowerCase().replace(/\.+$/, ""));
  return /^(?:https?|wss?|ftp):$/.test(protocol) && host !== "" ? host : undefined;
}

/** The same machine under an address of the newer kind: mapped, compatible, translated. */
const inIpv6 =
  /^\[::(?:ffff:(?:0:)?)?([\da-f]{1,4}):([\da-f]{1,4})\]$|^\[64:ff9b:(?:1:)?:([\da-f]{1,4}):([\da-f]{1,4})\]$/;

function withIpv4(host: string): string {
  const [, ...words] = inIpv6.exec(host) ?? [];
  const [high, low] = words.filter((word) => word !== undefined).map((word) => Number.parseInt(word, 16));
  if (high === undefined || low === undefined) return host;
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}

/** Every name of this machine reaches the same programs. */
const isHere = (host: string): boolean => /^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|0\.0\.0\.0|\[::1?\])$/.test(host);

/**
 * Whether a rule is about a host: `domain:example.com` is that host alone, `domain:*.example.com`
 * every host below it. A rule to allow that says anything else allows nothing; one that forbids
 * stands for every host it can mean.
 */
export function hostRule(argument: string, isWide: boolean): (host: string) => boolean {
  const [, domain = isWide ? argument : undefined] = /^domain:(.+)$/s.exec(argument.trim()) ?? [];
  if (domain === undefined) return () => false;
  return isWide ? anyOf(domain) : exactly(domain);
}

function exactly(domain: string): (host: string) => boolean {
  const wanted = hostOf(`http://${domain.replace(/^\*\./, "")}`);
  if (wanted === undefined) return () => false;
  return domain.startsWith("*.") ? (host) => host.endsWith(`.${wanted}`) : (host) => host === wanted;
}

function anyOf(domain: string): (host: string) => boolean {
  const written = domain
    .trim()
    .replace(/^[a-z][a-z\d+.-]*:\/\//i, "")
    .replace(/^[^/?#]*@/, "");
  const [authority = ""] = written.split(/[/?#\\]/);
  const parts = authority.replace(/:\d*$/, "").split("*");
  if (parts.length === 1) {
    const wanted = hostOf(`http://${authority}`);
    if (wanted === undefined) return () => true;
    return (host) => host === wanted || (isHere(wanted) && isHere(host));
  }
  if (/[^\x20-\x7e]/.test(authority)) return () => true;
  const literals = parts.map((part) => part.toLowerCase().replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
  const pattern = new RegExp(`^${literals.join(".*")}$`);
  return (host) => pattern.test(host);
}
