/** The accepted senders: at least one of `secrets` and `topicArn`. */
export interface Senders {
  /** The signing secrets of webhooks: `whsec_` and base64; two during a rotation. */
  readonly secrets?: string | readonly string[] | undefined;
  /** The SNS topic. Required for SNS, because SNS signs the messages of every AWS account's topics. */
  readonly topicArn?: string | undefined;
  /** Accepts SNS certificates and confirmations from this machine, for a topic that runs here. Not for production. */
  readonly allowLoopback?: boolean | undefined;
  /** The maximum age of an SNS message in seconds; by default 3,900. SNS retries for up to an hour. */
  readonly maxAgeSeconds?: number | undefined;
}

/** Validated senders. */
export interface ReadSenders {
  readonly secrets: readonly string[];
  readonly topic: Topic | undefined;
  readonly allowLoopback: boolean;
  readonly maxAgeSeconds: number;
}

export interface Topic {
  readonly arn: string;
  /** Where SNS serves its certificates and confirmations: `https://sns.<region>.amazonaws.com/`. */
  readonly home: string;
}

const MAX_AGE_SECONDS = 3_900;
const ARN = /^arn:(aws[a-z-]*):sns:([a-z0-9-]+):\d{12}:[\w-]+$/;

/** @throws TypeError if no sender is given, or if `topicArn` or `maxAgeSeconds` is invalid */
export function readSenders(secret: string | readonly string[] | Senders): ReadSenders {
  const isAlone = typeof secret === 'string' || Array.isArray(secret);
  const senders: Senders = isAlone ? { secrets: secret } : ((secret as Senders | undefined) ?? {});
  const secrets = [senders.secrets ?? []].flat();
  if (secrets.length === 0 && senders.topicArn === undefined) {
    throw new TypeError(
      'verify(request, secret): no secret. Pass "whsec_…" of a webhook, several of them in an array, or { topicArn } of SNS.',
    );
  }
  const topic = senders.topicArn === undefined ? undefined : topicOf(senders.topicArn);
  const { maxAgeSeconds = MAX_AGE_SECONDS } = senders;
  if (!(maxAgeSeconds > 0))
    throw new TypeError(`maxAgeSeconds: expected a number above 0, found ${maxAgeSeconds}`);
  return { secrets, topic, allowLoopback: senders.allowLoopback === true, maxAgeSeconds };
}

function topicOf(arn: string): Topic {
  const [, partition, region] = ARN.exec(arn) ?? [];
  if (partition === undefined) {
    throw new TypeError(
      `topicArn: ${JSON.stringify(arn)} is not an SNS topic, such as arn:aws:sns:eu-west-1:123456789012:changes.`,
    );
  }
  const domain = partition === 'aws-cn' ? 'amazonaws.com.cn' : 'amazonaws.com';
  return { arn, home: `https://sns.${region}.${domain}/` };
}
