const text = (description: string) => ({ type: 'string', description });

const sns = {
  'x-amz-sns-message-type': {
    type: 'string',
    enum: ['Notification', 'SubscriptionConfirmation', 'UnsubscribeConfirmation'],
  },
  'x-amz-sns-message-id': text('The id of the SNS message, not of the event.'),
  'x-amz-sns-topic-arn': text('The topic. Not signed: use `TopicArn` in the body.'),
  'x-amz-sns-subscription-arn': text('The subscription. Absent in the SubscriptionConfirmation.'),
};
const snsRequired = ['x-amz-sns-message-type', 'x-amz-sns-message-id', 'x-amz-sns-topic-arn'];

/** The HTTP headers by kind of delivery. */
export const headers = {
  WebhookHeaders: {
    type: 'object',
    required: ['webhook-id', 'webhook-timestamp', 'webhook-signature'],
    properties: {
      'webhook-id': text("The event's id, the same at every attempt."),
      'webhook-timestamp': {
        type: 'string',
        pattern: '^\\d+$',
        description:
          'The time of this attempt, in seconds since 1970. Reject it if it is more than 5 minutes off.',
      },
      'webhook-signature': {
        type: 'string',
        pattern: '^v1,[A-Za-z0-9+/]{43}=( v1,[A-Za-z0-9+/]{43}=)*$',
        description:
          'HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>`, in base64 after `v1,`; two, separated by a space, ' +
          'while the secret is changed.',
      },
    },
  },
  SnsHeaders: { type: 'object', required: snsRequired, properties: sns },
  SnsRawHeaders: {
    type: 'object',
    required: [...snsRequired, 'x-amz-sns-subscription-arn', 'x-amz-sns-rawdelivery'],
    properties: { ...sns, 'x-amz-sns-rawdelivery': { type: 'string', const: 'true' } },
  },
};
