export { type Asked, type Code, type HostedSpec, repositoryLabel, specOf, type Work, workOf } from "./asked.ts";
export { type HostBackendDeps, hostBackend, type Spawns } from "./backend.ts";
export { type Checkout, type Checkouts, type CheckoutsDeps, openCheckouts } from "./checkouts.ts";
export { repositoryGiven } from "./repository-name.ts";
export { type Desk, type HostDeps, type HostEvent, type HostOffer, type Launching, serveHost } from "./serve.ts";
