/** A page links to nothing but the web, whatever a target calls its homepage. */
export const isWebAddress = (link: string | undefined): link is string => /^https?:\/\/[^\s]+$/i.test(link ?? "");
