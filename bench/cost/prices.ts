/** A price of AWS: dollars per units, in tiers. */
export interface Price {
  /** What is counted. */
  readonly unit: string;
  /** The tiers' prices are for this number of units. */
  readonly per: number;
  /** Dollars for `per` units, up to this number of units a month; the last without an end. */
  readonly tiers: readonly { readonly upTo?: number; readonly dollars: number }[];
  /** Units a month that are free in every account for ever, not only in its first year. */
  readonly free: number;
  readonly service: string;
  readonly source: string;
  /** What AWS's own page does not state clearly. */
  readonly doubt?: string;
}

const AS_OF = {
  /** us-east-1, whose prices AWS shows first. */
  region: 'us-east-1',
  /** When the sources were looked up. */
  date: '2026-11-22',
};
export const { region: REGION, date: LOOKED_UP } = AS_OF;

const MILLION = 1_000_000;
const GB = 1_000_000_000;

const CLOUDWATCH = 'https://aws.amazon.com/cloudwatch/pricing/';
const CLOUDWATCH_2026 = 'https://cloudburn.io/blog/amazon-cloudwatch-pricing';
const DYNAMODB = 'https://aws.amazon.com/dynamodb/pricing/on-demand/';
const LAMBDA = 'https://aws.amazon.com/lambda/pricing/';
const SQS = 'https://aws.amazon.com/sqs/pricing/';
const flat = (dollars: number) => [{ dollars }];
const NOT_SHOWN = 'not read off AWS’s page; the number is from';

const DASHBOARD = `${NOT_SHOWN} https://www.factualminds.com/blog/amazon-cloudwatch-pricing-metrics-logs-alarms-dashboards/ (June 2026); what is free is on AWS’s page`;

/** List prices, in dollars without taxes. No price stands anywhere else. */
export const PRICES = {
  lambdaRequests: {
    ...{ service: 'Lambda', unit: 'requests', per: MILLION, tiers: flat(0.2), free: MILLION },
    source: LAMBDA,
    doubt: `${NOT_SHOWN} https://cloudchipr.com/blog/aws-lambda-pricing (2025)`,
  },
  lambdaGbSeconds: {
    ...{ service: 'Lambda', unit: 'GB-seconds (Arm)', per: 1, free: 400_000 },
    tiers: [
      { upTo: 7_500 * MILLION, dollars: 0.0000133334 },
      { upTo: 18_750 * MILLION, dollars: 0.0000120001 },
      { dollars: 0.0000106667 },
    ],
    source: LAMBDA,
    doubt: `${NOT_SHOWN} https://cloudchipr.com/blog/aws-lambda-pricing (2025)`,
  },
  dynamodbWrites: {
    ...{ service: 'DynamoDB', unit: 'write request units', per: MILLION, tiers: flat(0.625), free: 0 },
    source: DYNAMODB,
    doubt: `${NOT_SHOWN} https://airbyte.com/data-engineering-resources/dynamodb-pricing (July 2025)`,
  },
  dynamodbReads: {
    ...{ service: 'DynamoDB', unit: 'read request units', per: MILLION, tiers: flat(0.125), free: 0 },
    source: DYNAMODB,
    doubt: `${NOT_SHOWN} https://airbyte.com/data-engineering-resources/dynamodb-pricing (July 2025)`,
  },
  dynamodbStorage: {
    ...{ service: 'DynamoDB', unit: 'bytes stored', per: GB, tiers: flat(0.25), free: 25 * GB },
    source: 'https://aws.amazon.com/dynamodb/pricing/',
  },
  dynamodbRecovery: {
    ...{ service: 'DynamoDB', unit: 'bytes with point-in-time recovery', per: GB, tiers: flat(0.2), free: 0 },
    source: DYNAMODB,
    doubt: 'not stated on any page that could be read; 0.20 $ is what it was in 2024',
  },
  sqsRequests: {
    ...{ service: 'SQS', unit: 'requests', per: MILLION, free: MILLION },
    tiers: [
      { upTo: 100_000 * MILLION, dollars: 0.4 },
      { upTo: 200_000 * MILLION, dollars: 0.3 },
      { dollars: 0.24 },
    ],
    source: SQS,
    doubt: `${NOT_SHOWN} https://cloudburn.io/blog/amazon-sqs-pricing (March 2026)`,
  },
  sqsGrouped: {
    ...{
      service: 'SQS',
      unit: 'requests for messages with a group, beside',
      per: MILLION,
      tiers: flat(0.1),
      free: 0,
    },
    source: SQS,
    doubt: `${NOT_SHOWN} https://cloudburn.io/blog/amazon-sqs-pricing (March 2026), the only one that states it`,
  },
  snsPublished: {
    ...{ service: 'SNS', unit: 'messages published', per: MILLION, tiers: flat(0.5), free: MILLION },
    source: 'https://aws.amazon.com/sns/pricing/',
    doubt: `${NOT_SHOWN} https://www.factualminds.com/blog/amazon-sns-pricing-publishes-fanout-protocols/ (June 2026)`,
  },
  schedulerStarts: {
    ...{ service: 'EventBridge Scheduler', unit: 'starts', per: MILLION, tiers: flat(1), free: 14 * MILLION },
    source: 'https://aws.amazon.com/eventbridge/pricing/',
    doubt: `${NOT_SHOWN} https://cloudburn.io/blog/amazon-eventbridge-pricing (March 2026)`,
  },
  metrics: {
    ...{ service: 'CloudWatch metrics', unit: 'custom metrics', per: 1, free: 10 },
    tiers: [{ upTo: 10_000, dollars: 0.3 }, { upTo: 250_000, dollars: 0.1 }, { dollars: 0.05 }],
    source: CLOUDWATCH,
    doubt: `${NOT_SHOWN} https://signoz.io/guides/cloudwatch-pricing (February 2026); what is free is on AWS’s page`,
  },
  alarmMetrics: {
    ...{ service: 'CloudWatch alarms', unit: 'metrics of alarms', per: 1, tiers: flat(0.1), free: 10 },
    source: CLOUDWATCH,
    doubt: `${NOT_SHOWN} ${CLOUDWATCH_2026} (February 2026); what is free is on AWS’s page`,
  },
  dashboards: {
    ...{
      service: 'CloudWatch dashboards',
      unit: 'dashboards of up to 50 metrics',
      per: 1,
      tiers: flat(3),
      free: 3,
    },
    source: CLOUDWATCH,
    doubt: DASHBOARD,
  },
  largeDashboards: {
    ...{ service: 'CloudWatch dashboards', unit: 'dashboards of more', per: 1, tiers: flat(3), free: 0 },
    source: CLOUDWATCH,
    doubt: DASHBOARD,
  },
  logsWritten: {
    ...{ service: 'CloudWatch logs', unit: 'bytes written', per: GB, tiers: flat(0.5), free: 5 * GB },
    source: CLOUDWATCH,
    doubt: `${NOT_SHOWN} https://www.factualminds.com/blog/amazon-cloudwatch-pricing-metrics-logs-alarms-dashboards/ (June 2026)`,
  },
  logsKept: {
    ...{ service: 'CloudWatch logs', unit: 'bytes kept, compressed', per: GB, tiers: flat(0.03), free: 0 },
    source: CLOUDWATCH,
    doubt:
      'not stated on any page that could be read; 0.03 $ is what it was in 2024. The 5 GB that are free are spent on writing here',
  },
  secrets: {
    ...{ service: 'Secrets Manager', unit: 'secrets', per: 1, tiers: flat(0.4), free: 0 },
    source: 'https://aws.amazon.com/secrets-manager/pricing/',
    doubt: `${NOT_SHOWN} https://hivebook.wiki/wiki/aws-secrets-manager-rotated-secrets-dynamic-db-credentials-kms`,
  },
  secretReads: {
    ...{ service: 'Secrets Manager', unit: 'calls', per: 10_000, tiers: flat(0.05), free: 0 },
    source: 'https://aws.amazon.com/secrets-manager/pricing/',
    doubt: `${NOT_SHOWN} https://hivebook.wiki/wiki/aws-secrets-manager-rotated-secrets-dynamic-db-credentials-kms`,
  },
  keyCalls: {
    ...{
      service: 'KMS',
      unit: 'calls, for secrets of endpoints and the topic',
      per: 10_000,
      tiers: flat(0.03),
      free: 20_000,
    },
    source: 'https://aws.amazon.com/kms/pricing/',
    doubt: `${NOT_SHOWN} https://www.wring.co/blog/aws-kms-pricing-guide`,
  },
  dataOut: {
    ...{ service: 'Data transfer', unit: 'bytes to the internet', per: GB, free: 100 * GB },
    tiers: [
      { upTo: 10_000 * GB, dollars: 0.09 },
      { upTo: 50_000 * GB, dollars: 0.085 },
      { upTo: 150_000 * GB, dollars: 0.07 },
      { dollars: 0.05 },
    ],
    source: 'https://aws.amazon.com/ec2/pricing/on-demand/',
    doubt: `${NOT_SHOWN} https://wring.co/blog/aws-data-transfer-pricing-guide (2026)`,
  },
} as const satisfies Record<string, Price>;

export type Item = keyof typeof PRICES;
