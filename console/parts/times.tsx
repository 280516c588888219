import { about, ago, comes, wallTime } from '../model/times.ts';
import { useNow } from '../state/use.ts';

/** `3 min ago`, with the exact time as tooltip. */
export function Ago({ at }: { readonly at: string | number }) {
  const time = typeof at === 'number' ? at : Date.parse(at);
  const now = useNow();
  if (Number.isNaN(time)) return null;
  // Shown as now, because clocks differ by milliseconds, and real future times are seconds away.
  const shown = time > now && time < now + 1_500 ? now : time;
  return (
    <time dateTime={new Date(time).toISOString()} title={wallTime(time)}>
      {ago(shown, now)}
    </time>
  );
}

/** `in 30 s`, `due`: for future times. */
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

/** The exact time. */
export function At({ at }: { readonly at: string }) {
  return <time dateTime={at}>{wallTime(Date.parse(at))}</time>;
}
