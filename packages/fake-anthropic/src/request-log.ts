import type { IncomingHttpHeaders } from "node:http";
import type { Usage } from "./billing.ts";
import type { Charge } from "./prompt-cache.ts";

/** How a request ended: with a whole answer, by the client, or by a fault of the script. */
export type Ending = "answered" | "closed" | "dropped";

/** One request as it arrived, and what became of it; the log fills it in as the request goes on. */
export interface LoggedRequest {
  readonly index: number;
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The bytes as they were sent. */
  readonly body: Buffer;
  readonly json: unknown;
  /** The time on the server's clock. */
  readonly at: number;
  readonly status?: number;
  readonly usage?: Usage;
  readonly charge?: Charge;
  /** One hash a position of the prefix: two requests share what their lists share. */
  readonly prefixHashes: readonly string[];
  /** The client closed the connection before it had its answer. */
  readonly isClosedEarly: boolean;
  readonly ended: Promise<Ending>;
}

type Arrival = Pick<LoggedRequest, "method" | "path" | "headers" | "body" | "json" | "at">;
type Course = Partial<Pick<LoggedRequest, "status" | "usage" | "charge" | "prefixHashes">>;

/** The line of one request, and the ways to go on with it. */
export interface LogLine {
  readonly request: LoggedRequest;
  note(course: Course): void;
  end(ending: Ending): void;
}

export function createRequestLog() {
  const requests: LoggedRequest[] = [];
  const waiters: { readonly count: number; readonly wake: () => void }[] = [];
  return {
    requests: requests as readonly LoggedRequest[],
    received: (count: number): Promise<void> =>
      new Promise((wake) => {
        if (requests.length >= count) wake();
        else waiters.push({ count, wake });
      }),
    arrive(arrival: Arrival): LogLine {
      let resolve: (ending: Ending) => void = () => {};
      const ended = new Promise<Ending>((settle) => {
        resolve = settle;
      });
      const request = { ...arrival, index: requests.length, prefixHashes: [], isClosedEarly: false, ended };
      requests.push(request);
      for (const { count, wake } of waiters) if (requests.length >= count) wake();
      return {
        request,
        note: (course) => void Object.assign(request, course),
        end(ending) {
          request.isClosedEarly = ending === "closed";
          resolve(ending);
        },
      };
    },
  };
}
