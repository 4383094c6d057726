export { type Asked, type Code, type HostedSpec, repositoryLabel, specOf, type Work, workOf } from "./asked.ts";
export { type HostBackendDeps, hostBackend, type Spawns } from "./backend.ts";
export { type Checkout, type Checkouts, type CheckoutsDeps, openCheckouts } from "./checkouts.ts";
export type { Desk, HostDeps, HostEvent, HostOffer, Launching } from "./host.ts";
export { repositoryGiven } from "./repository-name.ts";
export { serveHost } from "./serve.ts";
