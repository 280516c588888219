import { webhookHeaders } from './asyncapi/example-requests.ts';
import { prettyJson } from './pretty-json.ts';
import type { Examples } from './take-examples.ts';

/** The files of `docs/examples`, by name: the events, the SNS message attributes of one, and the headers of
 *  its webhook. */
export function exampleTexts({ events, attributes }: Examples): Map<string, string> {
  const examples = Object.entries({
    ...events,
    'message-attributes': attributes,
    'webhook-headers': webhookHeaders(events['task.updated']),
  });
  return new Map(examples.map(([name, value]) => [name, `${prettyJson(value)}\n`]));
}
