import { about } from '../model/times.ts';
import { useStore } from '../state/store.ts';
import { useNow, useWorld } from '../state/use.ts';

/** Says on every page when nobody answers, or when what is shown is old. */
export function Banner() {
  const { session, status } = useWorld();
  const connection = useStore(session.connection);
  const { status: known, trouble } = useStore(status);
  if (connection.state === 'disconnected')
    return (
      <div class="banner bad" role="alert">
        <p>
          <strong>Nobody answers.</strong> Changewire was stopped, or can not be reached. What you see is as
          it was. This page goes on by itself once it is back.
        </p>
        <span class="banner-end">
          <Since at={connection.since} />
          <button type="button" onClick={session.retryNow}>
            Try now
          </button>
        </span>
      </div>
    );
  if (trouble !== undefined)
    return (
      <div class="banner bad" role="alert">
        <p class="lines">{trouble}</p>
        <span class="banner-end">
          <button type="button" onClick={session.retryNow}>
            Try now
          </button>
        </span>
      </div>
    );
  if (known && !known.isRunning)
    return (
      <div class="banner warn" role="status">
        <p>
          <strong>Nothing runs.</strong> This is what the last run left, and what you do here is obeyed by the
          next one. To start it: <code>npx changewire start</code>
        </p>
      </div>
    );
  return null;
}

function Since({ at }: { readonly at: number }) {
  return <span class="quiet">for {about(Math.max(1_000, useNow() - at))}</span>;
}
