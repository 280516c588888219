import type { ComponentChildren } from 'preact';

/** An empty list, with a hint how to fill it. */
export function Empty({
  title,
  children,
}: {
  readonly title: string;
  readonly children?: ComponentChildren;
}) {
  return (
    <div class="nothing">
      <p class="nothing-title">{title}</p>
      {children}
    </div>
  );
}

/** Grey lines that keep the place of content that is loading. */
export function Loading({ what, rows = 3 }: { readonly what: string; readonly rows?: number }) {
  return (
    <div class="loading" role="status" aria-label={`Loading: ${what}`}>
      {Array.from({ length: rows }, (_, index) => (
        <span key={index} class="bone" />
      ))}
    </div>
  );
}

/** An error, with a button to retry. */
export function Failed({ error, again }: { readonly error: string; readonly again?: () => void }) {
  return (
    <div class="failed" role="alert">
      <p class="lines">{error}</p>
      {/* A retry does not help if the name does not exist. */}
      {again && !error.startsWith('There is no ') && (
        <button type="button" onClick={again}>
          Try again
        </button>
      )}
    </div>
  );
}

export type Tone = 'good' | 'warn' | 'bad' | 'quiet' | 'info';

export function Badge({ tone, children }: { readonly tone: Tone; readonly children: ComponentChildren }) {
  return (
    <span class={`badge ${tone}`}>
      <span class="dot" aria-hidden="true" />
      {children}
    </span>
  );
}
