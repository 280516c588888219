/** The limits of one call to AWS. By default the SDK waits as long as a socket hangs, which is longer than
 *  the function runs. */
interface CallTimeouts {
  /** Time-outs of one try, in ms: `connection` until the connection is open, `request` until the head of
   *  the answer arrives, and then between two parts of its body. */
  readonly connection: number;
  readonly request: number;
  /** Tries, counting the first. */
  readonly tries: number;
}

/** AWS answers in milliseconds. A slower connection is most likely lost, so a retry is better. */
const CONNECTION_TIMEOUT_MS = 1_000;

/** The time-outs of each function, according to its run time. */
export const CALL_TIMEOUTS = {
  /** It runs for 15 minutes under a lease of one: several such calls in a row must not outlast the lease. */
  poll: { connection: CONNECTION_TIMEOUT_MS, request: 5_000, tries: 3 },
  /** It runs for 2 minutes, and keeps time for three calls at the end (`MARGIN_MS` in create-publish.ts). */
  publish: { connection: CONNECTION_TIMEOUT_MS, request: 3_000, tries: 3 },
  /** It runs for 3 minutes, and keeps 5 s at the end to save the result of the last attempt. */
  deliver: { connection: CONNECTION_TIMEOUT_MS, request: 2_000, tries: 2 },
  /** It runs for 10 minutes; requests of operators take seconds. */
  operate: { connection: CONNECTION_TIMEOUT_MS, request: 5_000, tries: 3 },
  /** A mail, which is tried once: a delivery is retried anyway, and a lost answer would repeat the mail. */
  ses: { connection: CONNECTION_TIMEOUT_MS, request: 10_000, tries: 1 },
  /** An invocation of the publish function by `republish`: it outlasts that function's own time-out, and
   *  is tried once, because the operator sees a failure and can retry. */
  publishing: { connection: CONNECTION_TIMEOUT_MS, request: 130_000, tries: 1 },
} as const satisfies Record<string, CallTimeouts>;

/** The SDK's longest pause after it was throttled; otherwise it pauses for at most a tenth of that. */
const MAX_PAUSE_MS = 1_000;

/** The maximum duration of one call in ms, with all tries and the pauses between them. */
export function maxCallMs({ request, tries }: CallTimeouts): number {
  return tries * request + (2 ** (tries - 1) - 1) * MAX_PAUSE_MS;
}

/** Options for every AWS client of a function: time-outs that fail (instead of only warning), and a
 *  bounded number of tries. */
export function bounded({ connection, request, tries }: CallTimeouts) {
  return {
    maxAttempts: tries,
    requestHandler: {
      connectionTimeout: connection,
      requestTimeout: request,
      throwOnRequestTimeout: true,
      // The request time-out ends with the head of the answer; this one covers its body.
      socketTimeout: request,
    },
  };
}
