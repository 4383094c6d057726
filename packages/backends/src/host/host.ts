import type { Backend } from "@troupe/team";
import type { SpawnSpec } from "../launch.ts";
import type { Asked, Hints } from "./asked.ts";
import type { Checkout, Checkouts } from "./checkouts.ts";

/** What a host says of itself to the store, and is told there; that on PostgreSQL fits. */
export interface Desk {
  enter(offer: HostOffer): Promise<void>;
  renew(leaseMs: number): Promise<void>;
  take(): Promise<Asked | undefined>;
  mine(): Promise<readonly Asked[]>;
  report(start: string, report: HostReport): Promise<void>;
  listen(): Hints;
}

/** What becomes of a start; `wanted` gives it back for any host to take. */
export interface HostReport {
  readonly state: "running" | "ended" | "wanted";
  readonly reason?: string | undefined;
  readonly detail?: string | undefined;
  readonly result?: object | undefined;
}

export interface HostOffer {
  readonly slots: number;
  readonly labels: readonly string[];
  /** How long nothing may be heard of it until others may take what it runs. */
  readonly leaseMs: number;
}

/** A teammate that is about to be started, and what starts it. */
export interface Launching {
  readonly backend: Backend;
  readonly spec: SpawnSpec;
}

export interface HostDeps {
  readonly desk: Desk;
  readonly offer: HostOffer;
  readonly checkouts: Checkouts;
  readonly launching: (asked: Asked, checkout: Checkout) => Promise<Launching>;
  /** How long a teammate may take to end by itself where the host ends it. */
  readonly graceMs: number;
  readonly tell: (event: HostEvent) => void;
}

/** What happens on a host, for those who look at it. */
export interface HostEvent {
  readonly event: "entered" | "started" | "pushed" | "ended" | "given_back" | "left_alone" | "late" | "unreachable";
  readonly team?: string;
  readonly member?: string;
  readonly epoch?: string;
  readonly detail?: string;
}
