import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { bundledCode } from '../bundle/code.ts';

/** The value of an environment variable, with the permission to use what it names: neither is of use
 *  alone. */
export interface Binding {
  readonly value: string;
  readonly grant?: (to: iam.Role) => unknown;
}

export interface HandlerProps {
  /** The entry's path from the root of the repository; it exports `handler`. */
  readonly entry: string;
  readonly description: string;
  /** The name of the whole, which its metrics carry. */
  readonly name: string;
  /** By default CloudFormation makes a name, so that it never clashes with another. */
  readonly functionName?: string;
  readonly memoryMiB: number;
  readonly nodeOptions?: readonly string[];
  readonly timeout: Duration;
  readonly logRetention: RetentionDays;
  readonly bindings: Readonly<Record<string, Binding>>;
  /** The function sends messages to queues that it serves itself, on purpose, and stops doing so. Unless
   *  this is set, Lambda takes more than some 16 such runs in a row for an endless loop, and puts the
   *  next message aside. */
  readonly callsItself?: boolean;
  /** Files beside the code: text by file name. */
  readonly files?: Readonly<Record<string, string>>;
}

/** A Lambda function with every default of this project. */
export class Handler extends Construct {
  readonly fn: lambda.Function;
  readonly role: iam.Role;

  constructor(scope: Construct, id: string, props: HandlerProps) {
    super(scope, id);
    const logGroup = new LogGroup(this, 'Logs', {
      retention: props.logRetention,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    // Not CDK's role: it comes with a managed policy that may write to every log group of the account.
    this.role = new iam.Role(this, 'Role', {
      assumedBy: new iam.ServicePrincipal('lambda.amazonaws.com'),
      description: `What the ${id} function of Changewire may do`,
    });
    logGroup.grantWrite(this.role);
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
      ...(props.callsItself && { recursiveLoop: lambda.RecursiveLoop.ALLOW }),
      logGroup,
      loggingFormat: lambda.LoggingFormat.JSON,
      // Lambda's own lines about a run that succeeded are longer than ours, and its metrics have the
      // same. Lines about failed runs are kept.
      systemLogLevelV2: lambda.SystemLogLevel.WARN,
      // Without instrumented clients X-Ray would show one bar per invocation, and it needs a permission
      // on all resources.
      tracing: lambda.Tracing.DISABLED,
      // Each source repeats in its own way; Lambda's retries would come on top, minutes late.
      retryAttempts: 0,
      maxEventAge: Duration.minutes(5),
      environment: {
        NODE_OPTIONS: ['--enable-source-maps', ...(props.nodeOptions ?? [])].join(' '),
        // The one dimension of our metrics, so that the numbers of one Changewire never reach the alarms of
        // another in the region.
        POWERTOOLS_SERVICE_NAME: props.name,
        POWERTOOLS_METRICS_NAMESPACE: 'Changewire',
        ...Object.fromEntries(bindings.map(([name, { value }]) => [name, value])),
      },
    });
    for (const [, { grant }] of bindings) grant?.(this.role);
  }
}
