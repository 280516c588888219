import specs from '@asyncapi/specs';
import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { EXAMPLE_SECRET, isSigned } from '../../docs/asyncapi/example-requests.ts';
import { asyncApiYaml } from '../../docs/asyncapi/yaml.ts';
import { readExamples } from '../../docs/read-examples.ts';
import { type SentEvent, sentSchemas } from '../../functions/model/event.ts';
import { checkEvents } from '../kit/check-event.ts';
import { readDocument } from '../kit/docs/documents.ts';

interface Message {
  readonly headers: { $ref: string };
  readonly payload: { $ref: string };
  readonly examples?: readonly { headers: Record<string, string>; payload: unknown }[];
}
interface AsyncApi {
  readonly channels: Record<string, { messages: Record<string, { $ref: string }> }>;
  readonly operations: Record<string, { channel: { $ref: string }; messages: { $ref: string }[] }>;
  readonly components: { schemas: Record<string, object>; messages: Record<string, Message> };
}

const text = readDocument('docs/asyncapi.yaml');
const document = parse(text) as AsyncApi;
const { messages } = document.components;
const types = Object.keys(sentSchemas);

function newAjv(): Ajv {
  const ajv = new Ajv({ allErrors: true, strict: false });
  formats.default(ajv);
  return ajv;
}

/** What a schema of the document says of a value. */
const ajv = newAjv().addSchema({ ...document, $id: 'document' });
function errorsOf({ $ref }: { $ref: string }, value: unknown): unknown {
  const validate = ajv.getSchema(`document${$ref}`);
  expect(validate, $ref).toBeDefined();
  return validate?.(value) === true ? [] : validate?.errors;
}

describe('docs/asyncapi.yaml', () => {
  it('is that of the code: `npm run schemas` makes it anew', () => {
    expect(text).toBe(asyncApiYaml());
  });

  it('is AsyncAPI 3.0 by the official schema', () => {
    const validate = newAjv().compile(specs.schemasWithoutId['3.0.0'] as object);
    expect(validate(document) ? [] : validate.errors).toEqual([]);
    expect(validate({ ...document, operations: { send: { action: 'post' } } })).toBe(false);
  });

  it('has references to nothing that is not there', () => {
    const references = [...text.matchAll(/\$ref: "(#[^"]+)"/g)].map(([, reference]) => reference as string);
    expect(references.length).toBeGreaterThan(50);
    expect(references.filter(reference => find(reference) === undefined)).toEqual([]);
    expect([...text.matchAll(/\$ref:/g)]).toHaveLength(references.length);
  });

  it('has each operation send the messages of its channel, and uses each message', () => {
    for (const { channel, messages: sent } of Object.values(document.operations)) {
      const { messages: there } = find(channel.$ref) as AsyncApi['channels'][string];
      expect(sent.map(({ $ref }) => find($ref))).toEqual(Object.values(there));
    }
    const used = Object.values(document.channels).flatMap(channel => Object.keys(channel.messages));
    expect(used.sort()).toEqual(Object.keys(messages).sort());
  });

  it.each(types)('shows %s as it was told, in a signed webhook', type => {
    const [example, ...others] = messages[`webhook.${type}`]?.examples ?? [];
    expect(others).toEqual([]);
    expect(example?.payload).toEqual(readExamples().events[type as SentEvent['type']]);
    checkEvents([example?.payload as SentEvent]);
    expect(isSigned(example?.headers ?? {}, JSON.stringify(example?.payload))).toBe(true);
    expect(isSigned(example?.headers ?? {}, `${JSON.stringify(example?.payload)} `)).toBe(false);
    expect(EXAMPLE_SECRET).toMatch(/^whsec_/);
  });

  it.each(Object.entries(messages))('has only valid examples of %s', (_, message) => {
    for (const { headers, payload } of message.examples ?? []) {
      expect(errorsOf(message.payload, payload)).toEqual([]);
      expect(errorsOf(message.headers, headers)).toEqual([]);
    }
  });

  it('refuses by its schemas what is no event of the type, or has no signature', () => {
    const { events } = readExamples();
    const { 'webhook.task.updated': updated, 'sns.Notification': notification } = messages;
    expect(errorsOf(updated?.payload as { $ref: string }, events['task.created'])).not.toEqual([]);
    expect(errorsOf(updated?.headers as { $ref: string }, { 'webhook-id': '1' })).not.toEqual([]);
    expect(errorsOf(notification?.payload as { $ref: string }, events['task.updated'])).not.toEqual([]);
  });

  it('holds in the envelope an event that is valid', () => {
    const [example] = messages['sns.Notification']?.examples ?? [];
    const envelope = example?.payload as { Message: string } | undefined;
    expect(checkEvents([JSON.parse(envelope?.Message ?? '') as SentEvent])).toHaveLength(1);
  });
});

function find(reference: string): unknown {
  let found: unknown = document;
  for (const step of reference.slice(2).split('/'))
    found = (found as Record<string, unknown> | undefined)?.[step];
  return found;
}
