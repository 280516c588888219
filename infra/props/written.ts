import { Duration, Token } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { pathText, withoutRoot } from '../../functions/config/problems.ts';

type Path = readonly PropertyKey[];

/** Properties as the file has them: each `Duration` becomes a text. Constructs stay as they are. */
export function written(value: unknown): unknown {
  if (value instanceof Duration) return `${value.toMilliseconds() / 1_000}s`;
  if (Array.isArray(value)) return value.map(written);
  if (!isPlain(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, written(each)]));
}

/** The values that only a deployment knows; one line each. They could not be bundled with the code: the
 *  functions would get the name of CDK's token instead. */
export function unknownValues(value: unknown, path: Path = []): string[] {
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
