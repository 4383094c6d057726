/**
 * Siblings resolve to their sources, so tests need no build. The list ends with vite's own
 * defaults.
 */
const conditions = ["@troupe/source", "module", "node", "development|production"];

export const shared = {
  resolve: { conditions },
  ssr: { resolve: { conditions } },
};
