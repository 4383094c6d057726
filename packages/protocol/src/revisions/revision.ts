/** A dated form of the protocol that can be written. */
export const revisions = ["2026-02", "2026-11"] as const;
export type Revision = (typeof revisions)[number];

/**
 * The form of a team on disk: a revision, or a form in between, which is read and never written.
 */
export type Form = Revision | "between";

export const isRevision = (form: Form | undefined): form is Revision => revisions.some((revision) => revision === form);
