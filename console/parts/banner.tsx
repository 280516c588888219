import { lowDiskText } from '../../functions/model/disk.ts';
import { about } from '../model/times.ts';
import { useStore } from '../state/store.ts';
import { useNow, useWorld } from '../state/use.ts';

/** Shows on every page that the connection is lost, that requests fail, that Changewire is not running, or that
 *  its disk is almost full. */
export function Banner() {
  const { session, status } = useWorld();
  const connection = useStore(session.connection);
  const { status: known, trouble } = useStore(status);
  if (connection.state === 'disconnected')
    return (
      <div class="banner bad" role="alert">
        <p>
          <strong>Connection lost.</strong> Showing the last known state; reconnecting automatically. Check
          that Changewire is running
          {location.protocol === 'https:' && ', or reload this page to sign in again'}.
        </p>
        <span class="banner-end">
          <Since at={connection.since} />
          <button type="button" onClick={session.retryNow}>
            Retry now
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
            Retry now
          </button>
        </span>
      </div>
    );
  if (known && !known.isRunning)
    return (
      <div class="banner warn" role="status">
        <p>
          <strong>Not running.</strong> Showing the state of the last run. Changes that you make here take
          effect with the next <code>npx changewire start</code>.
        </p>
      </div>
    );
  if (known?.disk?.isLow)
    return (
      <div class="banner warn" role="status">
        <p>
          <strong>The disk is almost full.</strong> {lowDiskText(known.disk)}
        </p>
      </div>
    );
  return null;
}

function Since({ at }: { readonly at: number }) {
  return <span class="quiet">for {about(Math.max(1_000, useNow() - at))}</span>;
}
