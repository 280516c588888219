import { readdirSync, readFileSync } from 'node:fs';
import type { Duration } from 'aws-cdk-lib';
import { describe, expect, expectTypeOf, test } from 'vitest';
import type { z } from 'zod';
import { configSchema } from '../../functions/config/schema.ts';
import type { ChangewireProps } from '../../infra/index.ts';
import { propsSchema } from '../../infra/props/read.ts';

/** A type without what the two ways of writing it may differ in: a `Duration` beside its text, read-only lists, and
 *  keys that may be there without a value. */
type Plain<Type> = Type extends Duration
  ? never
  : Type extends readonly (infer Item)[]
    ? Plain<Item>[]
    : Type extends object
      ? { -readonly [Key in keyof Type]: Plain<Exclude<Type[Key], undefined>> }
      : Type;

/** The properties that only an app has. */
type OfNetwork = 'vpc' | 'subnets' | 'securityGroups';
type OfAnApp = 'alarmTopic' | 'encryptionKey' | 'snapshots' | 'subscriptionsIn' | OfNetwork;
type Schema = z.input<typeof propsSchema>;
/** The type of such a property. */
type Of<Type extends { readonly [Key in OfAnApp]?: unknown }, Key extends OfAnApp> = NonNullable<Type[Key]>;

describe("the construct's properties", () => {
  test('are of the types that the schema takes, however deep', () => {
    expectTypeOf<Plain<Omit<ChangewireProps, OfAnApp>>>().toEqualTypeOf<Plain<Omit<Schema, OfAnApp>>>();
    expectTypeOf<Of<ChangewireProps, 'alarmTopic'>>().toEqualTypeOf<Of<Schema, 'alarmTopic'>>();
    expectTypeOf<Of<ChangewireProps, 'encryptionKey'>>().toEqualTypeOf<Of<Schema, 'encryptionKey'>>();
    expectTypeOf<Of<ChangewireProps, 'snapshots'>>().toEqualTypeOf<Of<Schema, 'snapshots'>>();
    expectTypeOf<Of<ChangewireProps, 'subscriptionsIn'>>().toEqualTypeOf<Of<Schema, 'subscriptionsIn'>>();
    expectTypeOf<Of<ChangewireProps, 'vpc'>>().toEqualTypeOf<Of<Schema, 'vpc'>>();
    expectTypeOf<Of<ChangewireProps, 'subnets'>>().toEqualTypeOf<Of<Schema, 'subnets'>>();
    expectTypeOf<Of<ChangewireProps, 'securityGroups'>>().toEqualTypeOf<Of<Schema, 'securityGroups'>>();
    expectTypeOf<keyof ChangewireProps>().toEqualTypeOf<keyof Schema>();
  });

  test("are the keys of the file, two by another name, and without the region, which is the stack's", () => {
    const renamed = { stackName: 'name', logRetentionDays: 'logRetention' } as Record<string, string>;
    const ofFile = Object.keys(configSchema.shape).filter(key => key !== 'region');
    const added = ['alarmTopic', 'encryptionKey', 'removalPolicy', 'snapshots', 'subscriptionsIn'];
    added.push('vpc', 'subnets', 'securityGroups');
    expect(Object.keys(propsSchema.shape).sort()).toEqual(
      [...ofFile.map(key => renamed[key] ?? key), ...added].sort(),
    );
  });

  test('each have a comment, and a default unless they are required', () => {
    const folder = new URL('../../infra/props/', import.meta.url);
    const texts = readdirSync(folder).map(name => readFileSync(new URL(name, folder), 'utf8'));
    const properties = texts.flatMap(text =>
      [...text.matchAll(/(\/\*\*(?:(?!\/\*\*).)*?\*\/\n)?^ {2}readonly (\w+)(\??):/gms)].map(
        ([, comment = '', name, optional]) => ({ name, comment, hasDefault: optional === '?' }),
      ),
    );
    expect(properties.length).toBeGreaterThan(60);
    for (const { name, comment, hasDefault } of properties) {
      expect(comment, name).toMatch(/^\/\*\* [A-Z`]/);
      expect(comment.includes('@default'), name).toBe(hasDefault);
    }
  });
});
