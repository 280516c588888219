import type { Attempt } from '../../functions/delivery/deliveries.ts';
import type { Health } from '../../functions/delivery/endpoint-rows.ts';
import type { ListedEndpoint } from '../../functions/operations/endpoints.ts';
import { showAbout } from '../cli/duration.ts';

/** One endpoint in a line. */
export function endpointLine(
  { settings, isConfigured, health, replay, standing }: ListedEndpoint,
  now: number,
): string {
  const { name, kind } = settings;
  return [
    `${name}: ${kind}`,
    ...(isConfigured ? ['configured'] : []),
    state(health, now),
    ...(standing.pending > 0
      ? [`${standing.pending} wait, since ${showAbout(now - (standing.oldest ?? now))}`]
      : []),
    ...(standing.dead > 0 ? [`dead letters: ${standing.dead}`] : []),
    ...(replay ? [`a replay has added ${replay.added}`] : []),
  ].join(', ');
}

function state({ paused, stopped, failing, notBefore = 0 }: Health, now: number): string {
  if (paused) return `paused for ${showAbout(now - paused.at)}`;
  if (stopped) return `stopped for ${showAbout(now - stopped.at)}: ${stopped.reason}`;
  const next = notBefore > now ? `, next try in ${showAbout(notBefore - now)}` : '';
  if (failing) return `failing for ${showAbout(now - failing.since)}${next}`;
  return notBefore > now ? `held${next}` : 'well';
}

/** One attempt in a line. */
export function attemptLine({ at, events, status, failure, took, answer }: Attempt, now: number): string {
  const [first] = events;
  const others = events.length > 1 ? ` and ${events.length - 1} more` : '';
  const what = `${first?.type} ${first?.id}${others}`;
  const came = failure ?? `answered ${status}`;
  return `${showAbout(now - at)} ago, ${what}: ${came} in ${took} ms${answer === undefined ? '' : `: ${answer}`}`;
}
