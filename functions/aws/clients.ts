/** How long one call to AWS may take. Without this the SDK waits as long as a socket hangs: longer than the function lives. */
export interface Patience {
  /** ms of one try: until its connection stands, until the headers of its answer, and between two parts of its body. */
  readonly connection: number;
  readonly request: number;
  /** Tries, counting the first. */
  readonly tries: number;
}

/** AWS answers in milliseconds, seldom in more than a second; what takes longer is as good as lost, and better asked again. */
const CONNECTION_MS = 1_000;

/** By function, from the time that it has. */
export const PATIENCE = {
  /** A run of 15 minutes under a lease of one: several such calls, one after the other, must not outlast the lease. */
  poll: { connection: CONNECTION_MS, request: 5_000, tries: 3 },
  /** A run of 2 minutes, of which three calls are kept free at the end (`MARGIN_MS` in create-publish.ts). */
  publish: { connection: CONNECTION_MS, request: 3_000, tries: 3 },
  /** A run of 3 minutes, of which 5 s are kept free to write down what the last attempt gave. */
  deliver: { connection: CONNECTION_MS, request: 2_000, tries: 2 },
  /** A run of 10 minutes, of which what people ask takes seconds. */
  operate: { connection: CONNECTION_MS, request: 5_000, tries: 3 },
  /** An invocation of the publish function, which is given up only after that function would be; and asked for once, by whoever watches. */
  publishing: { connection: CONNECTION_MS, request: 130_000, tries: 1 },
} as const satisfies Record<string, Patience>;

/** The SDK's wait before a try again, at most, when it was throttled; otherwise it waits a tenth of that. */
const PAUSE_MS = 1_000;

/** ms that one call takes at most, with all its tries and the pauses between them. */
export function longestCall({ request, tries }: Patience): number {
  return tries * request + (2 ** (tries - 1) - 1) * PAUSE_MS;
}

/** Options for every AWS client of a function: time-outs that fail (and don't just warn), and bounded tries. */
export function bounded({ connection, request, tries }: Patience) {
  return {
    maxAttempts: tries,
    requestHandler: {
      connectionTimeout: connection,
      requestTimeout: request,
      throwOnRequestTimeout: true,
      // The request's time-out ends with the headers of the answer: this one goes on through its body.
      socketTimeout: request,
    },
  };
}
