import type { Json } from '../basics/json.ts';
import type { Finding } from '../operations/protocol/doctor.ts';
import type { Probed } from '../service/probe.ts';
import type { Asker } from './asker.ts';

/** Proposed settings, as they stand in a workspace and in a process of the configuration. */
export interface Proposal {
  readonly workspace?: Readonly<Record<string, Json>>;
  readonly process?: Readonly<Record<string, Json>>;
}

export interface Examined {
  readonly findings: readonly Finding[];
  readonly settings?: Proposal;
}

/** One examination: it asks about something that the API document leaves open, and judges the answers. */
export interface Examination {
  readonly topic: string;
  examine(asker: Asker): Promise<Examined>;
}

/** The requests that a finding rests on. */
export type Asked = readonly Pick<Probed, 'request'>[];

/** The requests, and what was answered. */
export interface Seen {
  readonly asked: Asked;
  readonly came: string;
}

/** Makes a finding. */
export function found(
  topic: string,
  verdict: Finding['verdict'],
  text: string,
  on: Seen & { readonly remedy?: string | undefined },
): Finding {
  const asked = fewer([...new Set(on.asked.map(({ request }) => short(request)))]);
  return { topic, verdict, found: text, asked, came: on.came, ...(on.remedy && { remedy: on.remedy }) };
}

const MOST_SHOWN = 4;

function fewer(requests: readonly string[]): string[] {
  const rest = requests.length - MOST_SHOWN;
  return rest > 1 ? [...requests.slice(0, MOST_SHOWN), `and ${rest} more like these`] : [...requests];
}

const LONGEST = 200;

/** Shortens a request, which may hold a cursor of thousands of characters. */
function short(request: string): string {
  return request.length > LONGEST ? `${request.slice(0, LONGEST)}…` : request;
}

/** The finding for an answer that is of no use. */
export function failed(topic: string, { request, status, failure }: Probed, remedy?: string): Finding {
  return {
    topic,
    verdict: 'unknown',
    found: 'It could not be looked into.',
    asked: [short(request)],
    came: failure ?? `status ${status}`,
    remedy: remedy ?? 'Remove the cause, then ask the doctor again.',
  };
}
