import { showDuration } from './duration.ts';
import type { Source } from './source.ts';
import type { WantedEndpoint } from './wanted-endpoints.ts';

const KINDS = { webhook: 'signed webhook', slack: 'Slack', teams: 'Teams' } as const;

/** What a start says about itself. */
export function banner(about: {
  source: Source;
  interval: number;
  sweepInterval: number;
  /** The URLs of SNS's. */
  subscribers: readonly string[];
  endpoints: readonly WantedEndpoint[];
  /** undefined when nothing is kept. */
  data: string | undefined;
  once: boolean;
}): string {
  const { source, interval, sweepInterval, subscribers, endpoints, data, once } = about;
  const processes = source.workspace.processes.map(({ id }) => id).join(', ');
  const rhythm = once
    ? 'once'
    : `for changes every ${showDuration(interval)}, and wholly every ${showDuration(sweepInterval)}`;
  const places = ['this terminal', ...subscribers.map(url => new URL(url).origin)];
  const kept = data === undefined ? 'not kept' : `kept in ${data}, where the next start goes on`;
  return [
    `Changewire watches ${source.description}: ${processes}`,
    `  looks   ${rhythm}`,
    `  events  to ${places.join(', ')} (over HTTP)`,
    ...endpoints.map(({ kind, origin }) => `          to ${origin} (${KINDS[kind]})`),
    `  data    ${kept}`,
    ...(source.simulated ? ['  yours   --help tells how to watch your own workspace'] : []),
    ...(once ? [] : ['  stop    Ctrl-C']),
    '',
  ].join('\n');
}
