import type { ComponentChildren } from 'preact';

/** Nothing is there, and what would bring something. */
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

/** Something comes. Its place is kept by grey lines. */
export function Loading({ what, rows = 3 }: { readonly what: string; readonly rows?: number }) {
  return (
    <div class="loading" role="status" aria-label={`${what} is being read`}>
      {Array.from({ length: rows }, (_, index) => (
        <span key={index} class="bone" />
      ))}
    </div>
  );
}

/** It could not be had. */
export function Failed({ error, again }: { readonly error: string; readonly again?: () => void }) {
  return (
    <div class="failed" role="alert">
      <p class="lines">{error}</p>
      {again && (
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
