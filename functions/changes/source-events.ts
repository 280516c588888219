import type { SourceEvent } from '../model/event.ts';
import { type EventOrigin, envelope } from './build-events.ts';

/** Tells subscribers that no pass over a process was completed for too long. Times in ms since 1970, on the
 *  poller's clock. */
export function stalledEvent(
  origin: EventOrigin,
  stalled: { version: number; at: number; since: number; reason: string },
): SourceEvent {
  const { version, at, since, reason } = stalled;
  return {
    ...processEnvelope(origin, version, at),
    type: 'source.stalled',
    data: { process: { id: origin.processId }, reason, since: iso(since) },
  };
}

/** Tells them that a pass was completed again, at `until`. */
export function recoveredEvent(
  origin: EventOrigin,
  recovered: { version: number; since: number; until: number },
): SourceEvent {
  const { version, since, until } = recovered;
  return {
    ...processEnvelope(origin, version, until),
    type: 'source.recovered',
    data: { process: { id: origin.processId }, since: iso(since), until: iso(until) },
  };
}

/** Tells them that a project can't be read or committed; `since` on the service's clock. */
export function skippedEvent(
  origin: EventOrigin,
  skipped: {
    version: number;
    index: number;
    at: number;
    projectId: string;
    since: number;
    reason: string;
  },
): SourceEvent {
  const { version, index, at, projectId, since, reason } = skipped;
  return {
    ...processEnvelope(origin, version, at, index),
    type: 'source.skipped',
    data: { process: { id: origin.processId }, project: { id: projectId }, reason, since: iso(since) },
  };
}

function processEnvelope(origin: EventOrigin, version: number, at: number, index = 0) {
  return envelope({ ...origin, version }, index, { after: at, before: at });
}

function iso(time: number): string {
  return new Date(time).toISOString();
}
