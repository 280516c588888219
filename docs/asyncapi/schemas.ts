import { eventSchemas, jsonSchemas } from '../../functions/model/event.ts';

const text = (description: string) => ({ type: 'string', description });
export const refTo = (kind: string, name: string) => ({ $ref: `#/components/${kind}/${name}` });

/** The event types' schemas, from `functions/model/event.ts`, and those of SNS's messages. AsyncAPI's own schemas are
 *  draft 7, with shared parts under `components`. */
export function componentSchemas(): Record<string, unknown> {
  const shared: Record<string, unknown> = {};
  const events = Object.entries(jsonSchemas('draft-07')).map(([type, schema]) => {
    const { $schema, definitions, ...rest } = relocate(schema) as Record<string, unknown>;
    Object.assign(shared, definitions);
    return [type, rest];
  });
  return { ...Object.fromEntries(events), ...shared, ...SNS };
}

function relocate(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(relocate);
  if (typeof schema !== 'object' || schema === null) return schema;
  const entries = Object.entries(schema).filter(([key]) => key !== '$id');
  return Object.fromEntries(
    entries.map(([key, value]) =>
      key === '$ref'
        ? [key, String(value).replace('#/definitions/', '#/components/schemas/')]
        : [key, relocate(value)],
    ),
  );
}

/** What SNS puts into each message. It may add fields at any time, so none is forbidden. */
const signed = {
  MessageId: text("SNS's own id of the message: not the event's."),
  TopicArn: text('The topic. Take messages of yours only: SNS signs for everybody.'),
  Timestamp: { type: 'string', format: 'date-time' },
  SignatureVersion: { type: 'string', const: '2', description: 'RSA with SHA-256.' },
  Signature: text('Base64.'),
  SigningCertURL: {
    type: 'string',
    format: 'uri',
    description: 'Must be `https://sns.<region>.amazonaws.com/…`; check before you fetch it.',
  },
};

const attribute = (type: string, description: string) => ({
  type: 'object',
  description,
  required: ['Type', 'Value'],
  properties: { Type: { type: 'string', const: type }, Value: { type: 'string' } },
});

const handshake = (type: string, description: string) => ({
  type: 'object',
  description,
  required: ['Type', 'Message', 'Token', 'SubscribeURL', ...Object.keys(signed)],
  properties: {
    Type: { type: 'string', const: type },
    Message: text('Words for people.'),
    Token: { type: 'string' },
    SubscribeURL: { type: 'string', format: 'uri', description: 'A GET of it confirms the subscription.' },
    ...signed,
  },
});

const SNS = {
  SnsNotification: {
    type: 'object',
    description: 'A message in the envelope of SNS.',
    required: ['Type', 'Message', ...Object.keys(signed)],
    properties: {
      Type: { type: 'string', const: 'Notification' },
      Message: {
        type: 'string',
        description: `The event, as JSON text: one of ${Object.keys(eventSchemas).join(', ')}.`,
        contentMediaType: 'application/json',
      },
      ...signed,
      UnsubscribeURL: { type: 'string', format: 'uri' },
      MessageAttributes: {
        type: 'object',
        description: 'What filter policies ask for.',
        required: ['eventType', 'workspace', 'processId'],
        properties: {
          eventType: attribute('String', "The event's type."),
          workspace: attribute('String', "The workspace's name."),
          processId: attribute('String', 'The process.'),
          projectId: attribute(
            'String',
            'The project; none in events about a process (`field.*`, `source.*`, `audit.recorded`), but for `source.skipped`.',
          ),
          changedFields: attribute(
            'String.Array',
            'The fields of a record in `changes`, as a JSON array; none without changes.',
          ),
        },
      },
    },
  },
  SnsSubscriptionConfirmation: handshake(
    'SubscriptionConfirmation',
    'The first message: nothing else comes before its `SubscribeURL` was visited.',
  ),
  SnsUnsubscribeConfirmation: handshake('UnsubscribeConfirmation', 'The last message.'),
};
