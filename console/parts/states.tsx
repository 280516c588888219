import type { ComponentChildren } from 'preact';

/** Says that there is nothing, and what would change that. */
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

/** Shown while something is read: grey lines keep its place. */
export function Loading({ what, rows = 3 }: { readonly what: string; readonly rows?: number }) {
  return (
    <div class="loading" role="status" aria-label={`${what} is being read`}>
      {Array.from({ length: rows }, (_, index) => (
        <span key={index} class="bone" />
      ))}
    </div>
  );
}

/** Shown when something could not be read. */
export function Failed({ error, again }: { readonly error: string; readonly again?: () => void }) {
  return (
    <div class="failed" role="alert">
      <p class="lines">{error}</p>
      {/* Asking again for a name that does not exist changes nothing. */}
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
