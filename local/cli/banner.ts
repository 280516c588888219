import { showDuration } from './duration.ts';
import type { Source } from './source.ts';

/** What a start says about itself. */
export function banner(about: {
  source: Source;
  interval: number;
  sweepInterval: number;
  endpoints: readonly string[];
  /** undefined when nothing is kept. */
  data: string | undefined;
  once: boolean;
}): string {
  const { source, interval, sweepInterval, endpoints, data, once } = about;
  const processes = source.workspace.processes.map(({ id }) => id).join(', ');
  const rhythm = once
    ? 'once'
    : `for changes every ${showDuration(interval)}, and wholly every ${showDuration(sweepInterval)}`;
  const places = ['this terminal', ...endpoints.map(url => new URL(url).origin)];
  const kept = data === undefined ? 'not kept' : `kept in ${data}, where the next start goes on`;
  return [
    `Changewire watches ${source.description}: ${processes}`,
    `  looks   ${rhythm}`,
    `  events  to ${places.join(', ')} (over HTTP)`,
    `  data    ${kept}`,
    ...(source.simulated ? ['  yours   --help tells how to watch your own workspace'] : []),
    ...(once ? [] : ['  stop    Ctrl-C']),
    '',
  ].join('\n');
}
