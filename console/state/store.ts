import { useLayoutEffect, useState } from 'preact/hooks';

/** An observable value. */
export interface Store<Value> {
  get(): Value;
  set(value: Value): void;
  subscribe(listener: () => void): () => void;
}

export function createStore<Value>(initial: Value): Store<Value> {
  let value = initial;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set: next => {
      if (Object.is(next, value)) return;
      value = next;
      for (const listener of listeners) listener();
    },
    subscribe: listener => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export function useStore<Value>(store: Store<Value>): Value {
  const [, redraw] = useState({});
  const drawn = store.get();
  // `drawn` is not a dependency: it is compared only once, at the subscription.
  useLayoutEffect(() => {
    const unsubscribe = store.subscribe(() => redraw({}));
    // It may have changed since the rendering.
    if (!Object.is(drawn, store.get())) redraw({});
    return unsubscribe;
  }, [store]);
  return drawn;
}
