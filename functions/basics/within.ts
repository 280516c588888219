const MAX_TIMER = 2 ** 31 - 1;

/**
 * Runs `work`, and rejects with `late()` when it takes longer than `ms`; the signal then stops `work`.
 * The race matters: undici hears an abort only once its socket is connected.
 */
export async function within<Value>(
  ms: number,
  work: (signal: AbortSignal) => Promise<Value>,
  late: () => Error,
): Promise<Value> {
  const controller = new AbortController();
  const expiry = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => {
      expiry.reject(late());
      controller.abort();
    },
    Math.min(ms, MAX_TIMER),
  );
  try {
    return await Promise.race([work(controller.signal), expiry.promise]);
  } finally {
    clearTimeout(timer);
  }
}
