import { about, ago, comes, wallTime } from '../model/times.ts';
import { useNow } from '../state/use.ts';

/** `3 min ago`; the time itself is shown on hovering. */
export function Ago({ at }: { readonly at: string | number }) {
  const time = typeof at === 'number' ? at : Date.parse(at);
  const now = useNow();
  if (Number.isNaN(time)) return null;
  // Shown as now: clocks differ by some milliseconds, and the only times here that are really to come,
  // those of next tries, are some seconds away.
  const shown = time > now && time < now + 1_500 ? now : time;
  return (
    <time dateTime={new Date(time).toISOString()} title={wallTime(time)}>
      {ago(shown, now)}
    </time>
  );
}

/** `in 30 s`, `due`: for what is to come. */
export function Due({ at }: { readonly at: string }) {
  const now = useNow();
  const time = Date.parse(at);
  return (
    <time dateTime={at} title={wallTime(time)}>
      {comes(time, now)}
    </time>
  );
}

/** `for 3 min`. */
export function For({ since }: { readonly since: string }) {
  const now = useNow();
  return (
    <time dateTime={since} title={wallTime(Date.parse(since))}>
      for {about(Math.max(0, now - Date.parse(since)))}
    </time>
  );
}

/** The time itself. */
export function At({ at }: { readonly at: string }) {
  return <time dateTime={at}>{wallTime(Date.parse(at))}</time>;
}
