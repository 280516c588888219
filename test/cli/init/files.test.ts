import { chmodSync, lstatSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { configOf, type Draft } from '../../../cli/init/draft.ts';
import { addToEnvFile } from '../../../cli/init/env-file.ts';
import { fileText } from '../../../cli/init/file-text.ts';
import { settingsWithReasons } from '../../../cli/init/reasons.ts';
import { readConfig } from '../../../functions/config/read.ts';
import type { Judged } from '../../../functions/doctor/finding.ts';
import { judgeIdentifier, judgeStability } from '../../../functions/doctor/records.ts';
import { withEnvFile } from '../../../local/basics/process.ts';
import { UsageError } from '../../../local/basics/usage-error.ts';
import { readConfigFile } from '../../../local/settings/config-file.ts';
import { temporaryDirectory } from '../../kit/temporary.ts';

const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);

describe('.env', () => {
  it('is made for its user alone', () => {
    const directory = temporaryDirectory();
    addToEnvFile(directory, { EU_CLIENT_ID: 'id', EU_CLIENT_SECRET: 'a b#c' })();
    const path = join(directory, '.env');
    expect(readFileSync(path, 'utf8')).toBe("EU_CLIENT_ID=id\nEU_CLIENT_SECRET='a b#c'\n");
    expect(mode(path)).toBe('600');
  });

  it('keeps what it has, and is closed to others', () => {
    const directory = temporaryDirectory();
    const path = join(directory, '.env');
    writeFileSync(path, '# Ours\nOTHER="x"');
    chmodSync(path, 0o644);
    addToEnvFile(directory, { EU_CLIENT_ID: 'id' })();
    expect([readFileSync(path, 'utf8'), mode(path)]).toEqual(['# Ours\nOTHER="x"\nEU_CLIENT_ID=id\n', '600']);
  });

  it('stays a link to where it is kept', () => {
    const [directory, elsewhere] = [temporaryDirectory(), join(temporaryDirectory(), 'secrets')];
    writeFileSync(elsewhere, 'OTHER=x\n');
    symlinkSync(elsewhere, join(directory, '.env'));
    addToEnvFile(directory, { EU_CLIENT_ID: 'id' })();
    expect(lstatSync(join(directory, '.env')).isSymbolicLink()).toBe(true);
    expect(readFileSync(elsewhere, 'utf8')).toBe('OTHER=x\nEU_CLIENT_ID=id\n');
  });

  it('gives back every value that it takes, and refuses the others without showing them', () => {
    const directory = temporaryDirectory();
    const text = fc.string({ minLength: 1, unit: fc.constantFrom(...'aZ09 "\'`#$\\=\n{}/+-_.'.split('')) });
    const values: Record<string, string> = {};
    let count = 0;
    fc.assert(
      fc.property(fc.oneof(text, fc.string({ minLength: 1 })), value => {
        const name = `VALUE_${count++}`;
        try {
          addToEnvFile(directory, { [name]: value })();
          values[name] = value;
        } catch (error) {
          expect(error).toBeInstanceOf(UsageError);
          const unsupported = /^VALUE_\d+ contains characters that \.env does not support/;
          expect((error as Error).message).toMatch(unsupported);
        }
        // Each of those before, too.
        expect(withEnvFile({}, directory)).toEqual(values);
      }),
    );
    expect(count).toBeGreaterThan(0);
  });
});

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
    const reasons = '      // tasks: Too large.\n      // users: Too many.\n';
    expect(text).toContain(`${reasons}      "pageSize": { "tasks": 3 },\n`);
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

const NOW = Date.parse('2026-11-21T12:00:00Z');
const at = (ms: number) => new Date(NOW + ms).toISOString();

/** What `init` makes of findings, as the doctor answers them. */
function reasons({ settings = {}, ...finding }: Judged) {
  return settingsWithReasons({
    ...{ at: at(0), workspace: 'eu', process: 'launch', findings: [finding] },
    settings: { workspace: { ...settings.workspace }, process: { ...settings.process } },
  });
}

describe('the reason of a setting', () => {
  it('that names an identifier is what was found of that record', () => {
    const finding = judgeIdentifier('task', [{ taskKey: 'a' }, { taskKey: 'b' }], []);
    const why = { 'task identifiers': 'A task is identified by taskKey (strings).' };
    const setting = { key: 'identifiers', value: { task: 'taskKey' }, why };
    expect(reasons(finding).workspace).toEqual([setting]);
  });

  it('that ignores a field is that it changes by itself', () => {
    const seen = { name: 'seen', before: at(-60_000), after: at(0) };
    const why = { 'fields that change by themselves': expect.stringContaining('seen changed') };
    const setting = { key: 'ignoreFields', value: ['seen'], why };
    expect(reasons(judgeStability([seen], [], NOW)).process).toMatchObject([setting]);
  });
});
