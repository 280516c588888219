import { Duration, RemovalPolicy, Validations } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { bundledCode } from '../bundle/code.ts';

/** An environment variable, with the permission to use the resource that it names. */
export interface Binding {
  readonly value: string;
  readonly grant?: (to: iam.Role) => unknown;
}

export interface HandlerProps {
  /** The entry's path from the root of the repository; it exports `handler`. */
  readonly entry: string;
  readonly description: string;
  /** The name of the stack, the dimension of its metrics. */
  readonly name: string;
  /** By default a unique name from CloudFormation. */
  readonly functionName?: string;
  readonly memoryMiB: number;
  readonly nodeOptions?: readonly string[];
  readonly timeout: Duration;
  readonly logRetention: RetentionDays;
  readonly bindings: Readonly<Record<string, Binding>>;
  /** The function sends messages to queues that it serves itself. Without this, Lambda takes more than about 16 such
   *  runs in a row for an endless loop, and moves the message to the dead-letter queue. */
  readonly callsItself?: boolean;
  /** The network that the function runs in; undefined: it reaches public addresses. */
  readonly network?: Network | undefined;
  /** Files beside the code: text by file name. */
  readonly files?: Readonly<Record<string, string>>;
}

/** A network of the user's, as CDK has it. */
export type Network = Pick<lambda.FunctionProps, 'vpc' | 'vpcSubnets' | 'securityGroups'>;

/** What Lambda does with a function's network interfaces (AWSLambdaVPCAccessExecutionRole). */
const INTERFACES = [
  'ec2:AssignPrivateIpAddresses',
  'ec2:CreateNetworkInterface',
  'ec2:DeleteNetworkInterface',
  'ec2:DescribeNetworkInterfaces',
  'ec2:DescribeSubnets',
  'ec2:UnassignPrivateIpAddresses',
];

/** A Lambda function with the defaults of this project. */
export class Handler extends Construct {
  readonly fn: lambda.Function;
  readonly role: iam.Role;

  constructor(scope: Construct, id: string, props: HandlerProps) {
    super(scope, id);
    const logGroup = new LogGroup(this, 'Logs', {
      retention: props.logRetention,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    // CDK's default role may write to every log group of the account.
    this.role = new iam.Role(this, 'Role', {
      assumedBy: new iam.ServicePrincipal('lambda.amazonaws.com'),
      description: `Permissions of the ${id} function of Changewire`,
    });
    logGroup.grantWrite(this.role);
    if (props.network) mayUseNetwork(this.role);
    const bindings = Object.entries(props.bindings);
    this.fn = new lambda.Function(this, 'Function', {
      description: props.description,
      ...(props.functionName !== undefined && { functionName: props.functionName }),
      code: bundledCode(props.entry, props.files),
      handler: 'index.handler',
      runtime: lambda.Runtime.NODEJS_24_X,
      architecture: lambda.Architecture.ARM_64,
      memorySize: props.memoryMiB,
      timeout: props.timeout,
      role: this.role,
      ...props.network,
      ...(props.callsItself && { recursiveLoop: lambda.RecursiveLoop.ALLOW }),
      logGroup,
      loggingFormat: lambda.LoggingFormat.JSON,
      // Lambda's lines about each successful run would be most of the log; its metrics have the same numbers.
      systemLogLevelV2: lambda.SystemLogLevel.WARN,
      // Without instrumented clients X-Ray shows only invocations, and it needs a permission on all resources.
      tracing: lambda.Tracing.DISABLED,
      // Each event source has its own retries.
      retryAttempts: 0,
      maxEventAge: Duration.minutes(5),
      environment: {
        NODE_OPTIONS: ['--enable-source-maps', ...(props.nodeOptions ?? [])].join(' '),
        // The dimension of our metrics, which separates several stacks in a region.
        POWERTOOLS_SERVICE_NAME: props.name,
        POWERTOOLS_METRICS_NAMESPACE: 'Changewire',
        ...Object.fromEntries(bindings.map(([name, { value }]) => [name, value])),
      },
    });
    for (const [, { grant }] of bindings) grant?.(this.role);
  }
}

function mayUseNetwork(role: iam.Role): void {
  const policy = new iam.Policy(role, 'NetworkInterfaces', {
    roles: [role],
    statements: [new iam.PolicyStatement({ actions: INTERFACES, resources: ['*'] })],
  });
  Validations.of(policy).acknowledge({
    id: 'AwsSolutions-IAM5[Resource::*]',
    reason: 'Lambda creates the network interfaces of a function, and none has an ARN before it is created.',
  });
}
