/** How long one call to AWS may take. By default the SDK waits as long as a socket hangs, which is longer
 *  than the function lives. */
export interface CallTimeouts {
  /** Time-outs of one try, in ms: `connection` until the connection stands, `request` until the answer's head
   *  has come, and then between two parts of its body. */
  readonly connection: number;
  readonly request: number;
  /** Tries, counting the first. */
  readonly tries: number;
}

/** AWS answers in milliseconds, seldom in more than a second. A slower connection is most likely lost, and
 *  better tried again. */
const CONNECTION_MS = 1_000;

/** The timeouts of each function, by the time that it has. */
export const CALL_TIMEOUTS = {
  /** It runs for 15 minutes under a lease of one: several such calls in a row must not outlast the lease. */
  poll: { connection: CONNECTION_MS, request: 5_000, tries: 3 },
  /** It runs for 2 minutes, and keeps time for three calls at the end (`MARGIN_MS` in create-publish.ts). */
  publish: { connection: CONNECTION_MS, request: 3_000, tries: 3 },
  /** It runs for 3 minutes, and keeps 5 s at the end to write the outcome of the last attempt. */
  deliver: { connection: CONNECTION_MS, request: 2_000, tries: 2 },
  /** It runs for 10 minutes; requests of operators take seconds. */
  operate: { connection: CONNECTION_MS, request: 5_000, tries: 3 },
  /** An invocation of the publish function by `republish`: it is given up only after that function's own
   *  time-out, and tried once, because the operator sees a failure and can ask again. */
  publishing: { connection: CONNECTION_MS, request: 130_000, tries: 1 },
} as const satisfies Record<string, CallTimeouts>;

/** The SDK's longest pause before it tries again after it was throttled; otherwise it pauses for at most a
 *  tenth of that. */
const PAUSE_MS = 1_000;

/** The longest that one call may take in ms, with all tries and the pauses between them. */
export function maxCallMs({ request, tries }: CallTimeouts): number {
  return tries * request + (2 ** (tries - 1) - 1) * PAUSE_MS;
}

/** Options for every AWS client of a function: time-outs that fail (and don't only warn), and a bounded
 *  number of tries. */
export function bounded({ connection, request, tries }: CallTimeouts) {
  return {
    maxAttempts: tries,
    requestHandler: {
      connectionTimeout: connection,
      requestTimeout: request,
      throwOnRequestTimeout: true,
      // The request's time-out ends when the head of the answer has come; this one covers its body.
      socketTimeout: request,
    },
  };
}
