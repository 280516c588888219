import { Duration, RemovalPolicy, Stack, Token } from 'aws-cdk-lib';
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

/** The properties of the construct: the keys of the file, two of them in the words of CDK, and those that
 *  only an app has. */
export const propsSchema = object({
  name: propsName.optional(),
  ...ofFile.shape,
  alarmTopic: z.custom<ITopic>().optional(),
  logRetention: retention().default(configSchema.shape.logRetentionDays.def.defaultValue),
  encryptionKey: z.custom<IKey>().optional(),
  removalPolicy: removalPolicy.optional(),
  snapshots: z.custom<SnapshotTable>().optional(),
  subscriptionsIn: z.custom<Construct>().optional(),
}).register(remedies, {
  stackName: 'the construct has "name" for it, by default that of its stack',
  region: 'it is in the region of its stack',
});

/** The configuration that these properties are, for a Changewire of this name; or what is wrong with them, one
 *  line each, as for the file. Durations are texts here. */
function configOfProps(
  props: unknown,
  name: string,
): { readonly config: Config } | { readonly problems: readonly string[] } {
  const configured = (parsed: z.infer<typeof propsSchema>): Config => ({
    ...partOf(parsed, ofFile),
    stackName: name,
    logRetentionDays: parsed.logRetention,
  });
  const result = checkedBy(propsSchema, props, parsed => crossProblems(configured(parsed)));
  if ('problems' in result) return { problems: result.problems.map(withoutRoot) };
  return { config: configured(result.parsed) };
}

/** The configuration that the properties of a construct are, checked as that of the file; and as it is written in
 *  a file, for the functions, which read it by the same schema.
 *  @throws ConfigError that names the construct, and each property as the file's errors do */
export function readProps(
  construct: Construct,
  props: ChangewireProps,
): { readonly config: Config; readonly written: DeployedInput } {
  const unknown = unknownValues(props);
  if (unknown.length > 0) throw errorIn(construct, unknown);
  const name = props?.name ?? Stack.of(construct).stackName;
  const asWritten = written(props);
  const result = configOfProps(asWritten, name);
  const found = [
    ...(props?.name === undefined ? stackNameProblems(name) : []),
    ...('problems' in result ? result.problems : []),
  ];
  if (found.length > 0 || 'problems' in result) throw errorIn(construct, found);
  return { config: result.config, written: partOf(asWritten as DeployedInput, deployedSchema) };
}

/** The values of the keys that this schema has. */
function partOf<Values extends object>(values: Values, { shape }: z.ZodObject): Values {
  return Object.fromEntries(Object.entries(values).filter(([key]) => Object.hasOwn(shape, key))) as Values;
}

function errorIn({ node }: Construct, found: readonly string[]): ConfigError {
  return new ConfigError(found, `the properties of ${node.path}`);
}

/** Why the name of its stack can't be that of a Changewire; nothing where it can. */
function stackNameProblems(name: string): string[] {
  if (Token.isUnresolved(name))
    return [
      `name: found nothing, and that of its stack is known only when it is deployed; allowed: ${allowedName}`,
    ];
  if (propsName.safeParse(name).success) return [];
  return [
    `name: found nothing, and that of its stack is ${shown(name)}, which can be none; allowed: ${allowedName}`,
  ];
}

const allowedName = propsName.safeParse('').error?.issues[0]?.message ?? '';

type Path = readonly PropertyKey[];

/** Properties as the file has them: each `Duration` becomes a text. Constructs stay as they are. */
function written(value: unknown): unknown {
  if (value instanceof Duration) return `${value.toMilliseconds() / 1_000}s`;
  if (Array.isArray(value)) return value.map(written);
  if (!isPlain(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, written(each)]));
}

/** The values that only a deployment knows; one line each. They could not be bundled with the code: the
 *  functions would get the name of CDK's token instead. */
function unknownValues(value: unknown, path: Path = []): string[] {
  if (isUnknown(value))
    return [
      withoutRoot(
        `${pathText(path)}: found a value that only a deployment knows; allowed: one that is known while the app is ` +
          "synthesised, which checks it, and bundles it with the functions' code",
      ),
    ];
  if (Array.isArray(value)) return value.flatMap((each, index) => unknownValues(each, [...path, index]));
  if (!isPlain(value)) return [];
  return Object.entries(value).flatMap(([key, each]) => unknownValues(each, [...path, key]));
}

function isUnknown(value: unknown): boolean {
  if (value instanceof Duration) return value.isUnresolved();
  // A stack resolves tokens, and so looks like one.
  return !isPlain(value) && !Construct.isConstruct(value) && Token.isUnresolved(value);
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
