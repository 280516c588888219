import type { SQSRecord } from 'aws-lambda';
import type { ChangeEvent } from '../changes/event.ts';
import type { ChatMessage, EndpointRequest, EndpointSecret } from '../endpoints/endpoint.ts';
import { webhookRequest } from '../endpoints/webhook.ts';

/** One POST, and the messages of the queue that it settles. */
export interface Job {
  readonly records: readonly SQSRecord[];
  /** `now` in ms since 1970: the time of the attempt. */
  request(now: number, secret: EndpointSecret): EndpointRequest;
}

/** A message of the queue with its event. */
export interface Letter {
  readonly record: SQSRecord;
  readonly event: ChangeEvent;
}

/** What becomes of some letters: jobs, and those that cannot even be formatted. */
export interface Jobs {
  readonly jobs: readonly Job[];
  readonly unfit: readonly { readonly record: SQSRecord; readonly reason: string }[];
}

export type ChatFormat = (events: readonly ChangeEvent[]) => readonly ChatMessage[];

/** One job per event. */
export function webhookJobs(letters: readonly Letter[]): Jobs {
  const jobs = letters.map(({ record, event }) => ({
    records: [record],
    // A webhook's secret holds one or two (`parseSecret`).
    request: (now: number, { secrets }: EndpointSecret) =>
      webhookRequest({ id: event.id, body: record.body }, secrets as readonly string[], now),
  }));
  return { jobs, unfit: [] };
}

/** One job per chat message. An event that came twice is told once; one that the format chokes on is left out, so that it
 *  holds up no other. */
export function chatJobs(letters: readonly Letter[], format: ChatFormat): Jobs {
  const fit: Letter[] = [];
  const unfit: { record: SQSRecord; reason: string }[] = [];
  for (const letter of letters) {
    try {
      format([letter.event]);
      fit.push(letter);
    } catch (error) {
      const reason = `the event can not be shown (${(error as Error).name})`;
      unfit.push({ record: letter.record, reason });
    }
  }
  const events = new Map(fit.map(({ event }) => [event.id, event]));
  const jobs = format([...events.values()]).map(({ body, eventIds }) => {
    const ids = new Set(eventIds);
    return {
      records: fit.filter(({ event }) => ids.has(event.id)).map(({ record }) => record),
      request: () => ({ body, headers: {} }),
    };
  });
  return { jobs, unfit };
}
