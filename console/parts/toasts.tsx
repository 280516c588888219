import { createStore, useStore } from '../state/store.ts';

interface Toast {
  readonly key: number;
  readonly text: string;
  readonly isBad: boolean;
}

const toasts = createStore<readonly Toast[]>([]);
const SHOWN_MS = 6_000;
let made = 0;

/** Shows a message for some seconds; a failure until it is closed. */
export function toast(text: string, { isBad = false } = {}): void {
  made += 1;
  const key = made;
  toasts.set([...toasts.get().slice(-3), { key, text, isBad }]);
  if (!isBad) setTimeout(() => close(key), SHOWN_MS);
}

function close(key: number): void {
  toasts.set(toasts.get().filter(one => one.key !== key));
}

export function Toasts() {
  const all = useStore(toasts);
  return (
    <div class="toasts" role="status" aria-live="polite">
      {all.map(({ key, text, isBad }) => (
        <div key={key} class={`toast ${isBad ? 'bad' : 'good'}`}>
          <p class="lines">{text}</p>
          <button type="button" class="plain" aria-label="Close" onClick={() => close(key)}>
            ×
          </button>
        </div>
      ))}
    </div>
  );
}
