import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { keysOf } from '../../docs/configuration/keys.ts';
import { configurationSchema } from '../../docs/configuration-schema.ts';
import { configSchema } from '../../functions/config/schema.ts';
import { readDocument } from '../kit/docs/documents.ts';
import { config, endpoint, subscription } from '../kit/infra/config-examples.ts';
import { committedConfig } from '../kit/infra/synthesise.ts';

const ajv = new Ajv({ strict: false });
formats.default(ajv);
const fits = ajv.compile(configurationSchema());

describe('the JSON Schema of a configuration file', () => {
  it('is committed as the code makes it: `npm run schemas` makes it anew', () => {
    const committed = readDocument('docs/schemas/configuration.schema.json');
    expect(committed).toBe(`${JSON.stringify(configurationSchema(), null, 2)}\n`);
  });

  it.each([
    [committedConfig],
    [{ $schema: './configuration.schema.json', ...config() }],
    [[config(), config({ stackName: 'Other', logRetentionDays: 7 })]],
    [config({ changes: { fastest: '10s', slowest: '5m' }, ...endpoint(), ...subscription() })],
  ])('takes %j', content => {
    expect(fits(content), JSON.stringify(fits.errors)).toBe(true);
  });

  it.each([
    [{}],
    [[]],
    [config({ swep: '6h' })],
    [config({ logRetentionDays: 2 })],
    [config({}, { name: 'a b' })],
    [config({}, {}, { auditLog: 'no' })],
    [{ ...config(), ...endpoint({ kind: 'mail' }) }],
  ])('refuses %j', content => {
    expect(fits(content)).toBe(false);
  });

  it('describes every key as docs/configuration.md does, without Markdown', () => {
    const text = JSON.stringify(configurationSchema());
    const keys = [...keysOf(configSchema).values()].flat();
    const described = text.match(/"description":/g) ?? [];
    // The whole and $schema have descriptions too.
    expect(described.length).toBe(keys.length + 2);
    expect(text).toContain('The address that issues tokens. Allowed: an https:// address');
    expect(text).not.toContain('](');
  });
});
