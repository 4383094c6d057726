/** Facts of docs/protocol that were observed; what each is called tells what it is. */
export type Facts = Readonly<Record<string, unknown>>;

/** Notes a fact, or why it could not be observed. */
export type Observe = (fact: string, look: () => unknown) => Promise<void>;

/** An id with what differs from run to run left out. */
export const shapeOf = (id: unknown): string =>
  String(id)
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "<uuid>")
    .replaceAll(/\d{13}/g, "<ms>")
    .replaceAll(/session-[0-9a-f]{8}/g, "session-<8 hex>")
    .replaceAll(/(perm-<ms>-)[0-9a-z]+/g, "$1<letters>");
