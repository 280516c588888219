import { Duration, RemovalPolicy, Stack, Token } from 'aws-cdk-lib';
import type { ISecurityGroup, IVpc, SubnetSelection } from 'aws-cdk-lib/aws-ec2';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import * as z from 'zod';
import { crossProblems } from '../../functions/config/cross-checks.ts';
import { checkedBy, pathText, shown, withoutRoot } from '../../functions/config/problems.ts';
import { ConfigError } from '../../functions/config/read.ts';
import {
  type Config,
  configSchema,
  type DeployedInput,
  deployedSchema,
  retention,
  stackName,
} from '../../functions/config/schema.ts';
import { object, remedies } from '../../functions/config/values.ts';
import type { SnapshotTable } from '../parts/table.ts';
import type { ChangewireProps } from './changewire.ts';

const propsName = stackName('a name');

const removalPolicy = z.custom<RemovalPolicy.RETAIN | RemovalPolicy.DESTROY>(
  policy => policy === RemovalPolicy.RETAIN || policy === RemovalPolicy.DESTROY,
  { error: 'RemovalPolicy.RETAIN or RemovalPolicy.DESTROY' },
);

const ofFile = configSchema.omit({ stackName: true, region: true, logRetentionDays: true });

/** The properties of the construct: the keys of the file, two of them with CDK's names, and those of an app. */
export const propsSchema = object({
  name: propsName.optional(),
  ...ofFile.shape,
  alarmTopic: z.custom<ITopic>().optional(),
  logRetention: retention().default(configSchema.shape.logRetentionDays.def.defaultValue),
  encryptionKey: z.custom<IKey>().optional(),
  removalPolicy: removalPolicy.optional(),
  snapshots: z.custom<SnapshotTable>().optional(),
  subscriptionsIn: z.custom<Construct>().optional(),
  vpc: z.custom<IVpc>().optional(),
  subnets: z.custom<SubnetSelection>().optional(),
  securityGroups: z.custom<readonly ISecurityGroup[]>().optional(),
}).register(remedies, {
  stackName: 'use "name", by default the name of the stack of the construct',
  region: 'the region is that of the stack of the construct',
});

/** The configuration of these properties, with durations as texts; or their problems, one line each. */
function configOfProps(
  props: unknown,
  name: string,
): { readonly config: Config } | { readonly problems: readonly string[] } {
  const configured = (parsed: z.infer<typeof propsSchema>): Config => ({
    ...partOf(parsed, ofFile),
    stackName: name,
    logRetentionDays: parsed.logRetention,
  });
  const result = checkedBy(propsSchema, props, parsed => [
    ...crossProblems(configured(parsed)),
    ...(['subnets', 'securityGroups'] as const).flatMap(key =>
      parsed[key] && !parsed.vpc ? [`${key}: found without "vpc", which it belongs to`] : [],
    ),
  ]);
  if ('problems' in result) return { problems: result.problems.map(withoutRoot) };
  return { config: configured(result.parsed) };
}

/** The configuration of the properties of a construct, validated like the file; and the input for the functions, which
 *  read it with the same schema.
 *  @throws ConfigError with the path of the construct and every invalid property */
export function readProps(
  construct: Construct,
  props: ChangewireProps,
): { readonly config: Config; readonly deployedInput: DeployedInput } {
  const unknown = unknownValues(props);
  if (unknown.length > 0) throw errorIn(construct, unknown);
  const name = props?.name ?? Stack.of(construct).stackName;
  const plain = toPlain(props);
  const result = configOfProps(plain, name);
  const found = [
    ...(props?.name === undefined ? stackNameProblems(name) : []),
    ...('problems' in result ? result.problems : []),
  ];
  if (found.length > 0 || 'problems' in result) throw errorIn(construct, found);
  return { config: result.config, deployedInput: partOf(plain as DeployedInput, deployedSchema) };
}

/** The properties that this schema has. */
function partOf<Values extends object>(values: Values, { shape }: z.ZodObject): Values {
  return Object.fromEntries(Object.entries(values).filter(([key]) => Object.hasOwn(shape, key))) as Values;
}

function errorIn({ node }: Construct, found: readonly string[]): ConfigError {
  return new ConfigError(found, `the properties of ${node.path}`);
}

/** Problems of the stack's name as the default of `name`. */
function stackNameProblems(name: string): string[] {
  if (Token.isUnresolved(name))
    return [
      `name: found nothing, and the name of the stack is known only at deployment; allowed: ${allowedName}`,
    ];
  if (propsName.safeParse(name).success) return [];
  return [`name: found nothing, and the name of the stack is ${shown(name)}; allowed: ${allowedName}`];
}

const allowedName = propsName.safeParse('').error?.issues[0]?.message ?? '';

type Path = readonly PropertyKey[];

/** Properties as in the file: each `Duration` becomes a text. Constructs stay as they are. */
function toPlain(value: unknown): unknown {
  if (value instanceof Duration) return `${value.toMilliseconds() / 1_000}s`;
  if (Array.isArray(value)) return value.map(toPlain);
  if (!isPlain(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, toPlain(each)]));
}

/** Problems of values that are known only at deployment, one line each: the functions would be bundled with the name of
 *  CDK's token. */
function unknownValues(value: unknown, path: Path = []): string[] {
  if (isUnknown(value))
    return [
      withoutRoot(
        `${pathText(path)}: found a value that is known only at deployment; allowed: a value that is known at synthesis, ` +
          'which checks it and bundles it with the code of the functions',
      ),
    ];
  if (Array.isArray(value)) return value.flatMap((each, index) => unknownValues(each, [...path, index]));
  if (!isPlain(value)) return [];
  return Object.entries(value).flatMap(([key, each]) => unknownValues(each, [...path, key]));
}

function isUnknown(value: unknown): boolean {
  if (value instanceof Duration) return value.isUnresolved();
  // A construct has a `resolve` method, which makes it look like a token.
  return !isPlain(value) && !Construct.isConstruct(value) && Token.isUnresolved(value);
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
