import { useLayoutEffect, useState } from 'preact/hooks';

/** One value that several parts of the page watch. */
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
  // What was drawn first is compared once, when the store begins to be watched
  useLayoutEffect(() => {
    const unsubscribe = store.subscribe(() => redraw({}));
    // It may have changed between the drawing and now.
    if (!Object.is(drawn, store.get())) redraw({});
    return unsubscribe;
  }, [store]);
  return drawn;
}
