type Handler<Args extends readonly unknown[], Result> = (...args: Args) => Promise<Result>;

/** A handler that is made at its first call, and then kept. If making it fails, the next call tries again. */
export function lazy<Args extends readonly unknown[], Result>(
  make: () => Promise<Handler<Args, Result>>,
): Handler<Args, Result> {
  let made: Promise<Handler<Args, Result>> | undefined;
  return async (...args) => {
    made ??= make().catch(error => {
      made = undefined;
      throw error;
    });
    return (await made)(...args);
  };
}
