import type { ComponentChildren } from 'preact';
import { addressOf, type Page } from '../model/routes.ts';
import { useStore } from '../state/store.ts';
import { useWorld } from '../state/use.ts';
import { Keys } from './keys.tsx';

const PLACES: readonly (readonly [Page, string])[] = [
  ['now', 'Now'],
  ['history', 'History'],
  ['endpoints', 'Endpoints'],
  ['doctor', 'Doctor'],
];

/** The frame of each page: links to the other pages, and the state of the connection. */
export function Shell({
  page,
  children,
}: {
  readonly page: Page | 'unknown';
  readonly children: ComponentChildren;
}) {
  return (
    <>
      <button type="button" class="skip" onClick={skip}>
        Skip to content
      </button>
      <header class="top">
        <a class="brand" href={addressOf('now')} aria-label="Changewire, now">
          <Mark />
          <span>Changewire</span>
        </a>
        <nav aria-label="Pages">
          <ul>
            {PLACES.map(([place, name]) => (
              <li key={place}>
                <a href={addressOf(place)} aria-current={place === page ? 'page' : undefined}>
                  {name}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <Deployment />
        <Keys />
      </header>
      <main id="main" tabIndex={-1}>
        {children}
      </main>
    </>
  );
}

/** Moves the focus to the content. A link to an anchor would change the route, which is after the `#`. */
function skip(): void {
  document.getElementById('main')?.focus();
}

function Deployment() {
  const { session, status } = useWorld();
  const { state } = useStore(session.connection);
  const { status: known, trouble } = useStore(status);
  const deployment =
    known === undefined ? '' : known.deployment === 'run' ? 'This machine' : known.deployment;
  const [tone, text] =
    state === 'disconnected'
      ? ['bad', 'Disconnected']
      : state === 'connecting'
        ? ['quiet', 'Connecting']
        : trouble !== undefined
          ? ['bad', 'Failing']
          : known && !known.isRunning
            ? ['warn', 'Not running']
            : ['good', 'Live'];
  return (
    <div class="deployment">
      <bdi class="deployment-name">{deployment}</bdi>
      {session.isReadOnly && (
        <span class="kind" title="Changes need the link of “npx changewire console”.">
          read-only
        </span>
      )}
      <span class={`state ${tone}`} role="status">
        <span class="dot" aria-hidden="true" />
        {text}
      </span>
    </div>
  );
}

function Mark() {
  return (
    <svg viewBox="0 0 32 32" width="22" height="22" aria-hidden="true">
      <rect width="32" height="32" rx="8" class="mark-ground" />
      <path d="M6 20h5l3-9 4 13 3-8h5" class="mark-line" />
    </svg>
  );
}
