/** The maximum size of a heap, in bytes. */
export interface HeapSeen {
  /** With garbage, as it was found. */
  readonly used: number;
  /** After a collection. */
  readonly live: number;
}

const LOOK_MS = 50;
const COLLECT_MS = 1_000;

/** Watches this process's heap until the returned function is called, which returns the result. Needs
 *  `--expose-gc`. */
export function watchHeap(): () => HeapSeen {
  let seen: HeapSeen = { used: 0, live: 0 };
  const look = (name: keyof HeapSeen) => {
    seen = { ...seen, [name]: Math.max(seen[name], process.memoryUsage().heapUsed) };
  };
  const looking = setInterval(look, LOOK_MS, 'used');
  const collect = () => {
    look('used');
    globalThis.gc?.();
    look('live');
  };
  const collecting = setInterval(collect, COLLECT_MS);
  return () => {
    clearInterval(looking);
    clearInterval(collecting);
    collect();
    return seen;
  };
}
