import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { configOf, type Draft } from '../../../cli/init/draft.ts';
import { fileText } from '../../../cli/init/file-text.ts';
import { readConfig } from '../../../functions/config/read.ts';
import { readConfigFile } from '../../../local/settings/config-file.ts';
import { temporaryDirectory } from '../../kit/temporary.ts';

const DRAFT: Draft = {
  name: 'eu',
  baseUrl: 'https://api.example.com',
  authUrl: 'https://auth.example.com',
  audience: 'a',
  settings: [],
  processes: [{ id: 'launch', settings: [] }],
};

describe('the file that init writes', () => {
  it('is read as what was drafted, whatever stands in its texts and comments', () => {
    const path = join(temporaryDirectory(), 'changewire.json');
    const text = fc.string({ minLength: 1, maxLength: 200, unit: 'grapheme' });
    const why = fc.dictionary(text, fc.oneof(text, fc.constantFrom('a\nb', '*/ "x": 1', '\u2028{', '\r}')));
    const id = fc.string({ minLength: 1, maxLength: 20, unit: fc.constantFrom(...'aZ9"\\/*{}#,'.split('')) });
    const draft = fc.record({
      audience: text,
      settings: fc.record({ why }).map(({ why }) => [
        { key: 'pageSize', value: { tasks: 3, users: 7 }, why },
        { key: 'dateHeader', value: false, why: {} },
      ]),
      processes: fc.uniqueArray(fc.record({ id, names: fc.array(text), why }), {
        selector: each => each.id,
        minLength: 1,
        maxLength: 3,
      }),
    });
    fc.assert(
      fc.property(draft, ({ audience, settings, processes }) => {
        const whole: Draft = {
          ...{ ...DRAFT, audience, settings },
          processes: processes.map(({ id, names, why }) => ({
            id,
            settings: [{ key: 'ignoreFields', value: names, why }],
          })),
        };
        writeFileSync(path, fileText(whole, './schema.json'));
        expect(readConfigFile(path)).toEqual(readConfig(configOf(whole)));
      }),
      { numRuns: 50 },
    );
  });

  it('has the reasons of a setting above it, each named where there are several', () => {
    const settings = [
      { key: 'dateHeader', value: false, why: { clock: 'Answers have no Date.' } },
      { key: 'pageSize', value: { tasks: 3 }, why: { tasks: 'Too large.', users: 'Too many.' } },
    ];
    const text = fileText({ ...DRAFT, settings }, undefined);
    expect(text).toContain('      // Answers have no Date.\n      "dateHeader": false,\n');
    expect(text).toContain(
      '      // tasks: Too large.\n      // users: Too many.\n      "pageSize": { "tasks": 3 },\n',
    );
    expect(text).not.toContain('$schema');
    for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(110);
  });

  it('may have what its comments offer', () => {
    const path = join(temporaryDirectory(), 'changewire.json');
    const offered = fileText(DRAFT, undefined).replaceAll(/\/\/ (?=["{])/g, '');
    writeFileSync(path, offered);
    expect(readConfigFile(path)).toMatchObject({
      region: 'eu-central-1',
      alarmEmail: 'operations@example.com',
      endpoints: [{ name: 'planner', kind: 'webhook' }],
    });
  });
});
