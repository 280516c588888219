import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { withoutRoot } from '../../../functions/config/problems.ts';
import { UsageError } from '../../../local/basics/usage-error.ts';
import {
  configFileIn,
  parseJsonc,
  readConfigFile,
  readConfigsFile,
  writtenConfigsFile,
} from '../../../local/settings/config-file.ts';
import { config, endpoint, problemsOf, subscription } from '../../kit/infra/config-examples.ts';
import { temporaryDirectory } from '../../kit/temporary.ts';

function file(content: unknown): string {
  const path = join(temporaryDirectory(), 'changewire.json');
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

const refusal = (path: string) => {
  try {
    readConfigFile(path);
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  return expect.unreachable('It was read.');
};

describe('a configuration file', () => {
  test.each([
    ['what stands under changewire in cdk.json', (whole: object) => whole],
    ['the same under its key', (whole: object) => ({ changewire: whole })],
    ['a whole cdk.json', (whole: object) => ({ app: 'node app.ts', context: { changewire: whole } })],
  ])('may hold %s', (_, wrapped) => {
    const read = readConfigFile(file(wrapped(config({ changes: '2m' }))));
    expect(read.changes).toEqual({ fastest: 120_000, slowest: 120_000 });
    expect(read.workspaces[0]?.processes[0]?.id).toBe('p1');
  });

  test('may begin with a byte order mark', () => {
    expect(readConfigFile(file(`\uFEFF${JSON.stringify(config())}`)).workspaces).toHaveLength(1);
  });

  test('may have comments and trailing commas', () => {
    const comments = '{ // Changed on Monday.\n/* "sweep": "1h", */';
    const text = JSON.stringify(config({ changes: '2m' }), null, 2).replace(/^\{/, comments);
    const read = readConfigFile(file(text.replace(/\n\}$/, ',\n}\n// The end.')));
    expect(read.changes).toEqual({ fastest: 120_000, slowest: 120_000 });
    expect(read.sweep).toBe(6 * 3_600_000);
  });

  test('may name the schema by which an editor completes it, at its top alone', () => {
    const $schema = './configuration.schema.json';
    expect(readConfigFile(file({ $schema, ...config() })).workspaces).toHaveLength(1);
    expect(refusal(file({ $schema: 1, ...config() }))).toContain('unknown key (1)');
    expect(refusal(file(config({}, { $schema })))).toContain('unknown key');
  });

  test.each([
    config({ changes: '2x', alarmEmail: 'nobody', stackName: '1' }),
    config({}, { baseUrl: 'http://api.example.com', identifiers: { tusk: 'a' } }, { overlap: 5 }),
    { ...config(), ...subscription({ filter: { changedFields: [] } }) },
    { ...config(), ...endpoint({ kind: 'webhok', filter: { workspaces: ['nowhere'] } }) },
  ])('is refused in the words in which the deployment refuses it, by the paths that it has: %j', wrong => {
    const problems = problemsOf(wrong);
    expect(problems).not.toEqual([]);
    const refused = (path: string, problems: readonly string[]) =>
      expect(refusal(path)).toBe([`${path}:`, ...problems.map(problem => `  - ${problem}`)].join('\n'));
    refused(file({ changewire: wrong }), problems);
    refused(file(wrong), problems.map(withoutRoot));
    refused(
      file([wrong]),
      problems.map(each => `[0].${withoutRoot(each)}`),
    );
  });

  describe('with a list of stacks', () => {
    const stacks = ['eu', 'us'].map(stackName => ({ stackName, ...config({}, { name: stackName }) }));

    test('is one of them by the name behind #', () => {
      expect(readConfigFile(`${file(stacks)}#us`).workspaces[0]?.name).toBe('us');
    });

    test('is all of them where all are asked for, and the one that is named', () => {
      const path = file(stacks);
      expect(readConfigsFile(path).map(({ stackName }) => stackName)).toEqual(['eu', 'us']);
      expect(readConfigsFile(`${path}#us`).map(({ stackName }) => stackName)).toEqual(['us']);
      expect(writtenConfigsFile(path)).toEqual(stacks);
      expect(writtenConfigsFile(`${path}#us`)).toEqual(stacks.slice(1));
      expect(() => readConfigsFile(`${path}#asia`)).toThrow('has no stack of that name');
    });

    test('is that one if there is one only', () => {
      expect(readConfigFile(file(stacks.slice(0, 1))).stackName).toBe('eu');
    });

    test.each([
      ['', 'has 2 stacks'],
      ['#asia', 'has no stack of that name'],
    ])('is refused with the way to name one: %j', (stack, found) => {
      const path = file(stacks);
      expect(refusal(`${path}${stack}`)).toBe(
        `--config ${path} ${found}. Name one: --config ${path}#eu or --config ${path}#us.`,
      );
    });

    test('is not looked for in a file whose name has a # in it', () => {
      const path = join(temporaryDirectory(), 'a#b.json');
      writeFileSync(path, JSON.stringify(config()));
      expect(readConfigFile(path).stackName).toBe('Changewire');
    });
  });

  test.each(['null', '[]', '"text"', '{}'])('that holds no configuration but %s is refused', content => {
    expect(refusal(file(content))).toMatch(/^\S+changewire\.json:\n {2}- /);
  });

  test('that is not there, or a directory, is refused by its name, with where to read on', () => {
    const directory = temporaryDirectory();
    const missing = join(directory, 'no.json');
    expect(refusal(missing)).toBe(
      `Could not read ${missing} (ENOENT). Name a JSON file; "npx changewire init" writes one, and docs/configuration.md lists all keys.`,
    );
    expect(refusal(directory)).toContain('(EISDIR)');
  });

  test('that is no JSON is refused by the place alone: nothing of it is shown', () => {
    const path = file('{\n  "secret": "hush\n}');
    expect(refusal(path)).toBe(`${path} is not valid JSON (line 2, column 13: unclosed string).`);
    const cut = file('{"secret": "hush"');
    expect(refusal(cut)).toMatch(/^\S+ is not valid JSON \(line 1, column 18: missing }\)\.$/);
    expect(refusal(file('hush'))).not.toContain('hush');
  });

  test('is found in the current folder by its usual name', () => {
    const directory = temporaryDirectory();
    expect(configFileIn(directory)).toBeUndefined();
    writeFileSync(join(directory, 'changewire.json'), '{}');
    expect(configFileIn(directory)).toBe('changewire.json');
  });
});

/** As JSON.parse makes it: the objects of a read text have no prototype. */
const plain = (value: unknown) => JSON.parse(JSON.stringify(value)) as unknown;

describe('JSON with comments', () => {
  test('reads all JSON as JSON.parse does', () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(0, 2), (json, indent) => {
        const value = JSON.parse(json) as unknown;
        expect(plain(parseJsonc(JSON.stringify(value, null, indent)))).toEqual(plain(value));
      }),
    );
  });

  test('takes a key __proto__ for a key', () => {
    expect(Object.keys(parseJsonc('{"__proto__": {"a": 1}}') as object)).toEqual(['__proto__']);
  });

  test.each([
    ['', 'line 1, column 1: expected a value'],
    ['{\n  "a": 1\n  "b": 2\n}', 'line 3, column 3: missing comma or closing bracket before it'],
    ['{"a" 1}', 'line 1, column 6: missing colon before it'],
    ['{a: 1}', 'line 1, column 2: keys and strings need double quotes'],
    ['{"a": 1,, "b": 2}', 'line 1, column 9: expected a key in double quotes'],
    ['{"a":', 'line 1, column 6: expected a value'],
    ['{"a": [1', 'line 1, column 9: missing ]'],
    ['{"a": 1', 'line 1, column 8: missing }'],
    ['{} {}', 'line 1, column 4: expected the end of the file'],
    ['{} /* open', 'line 1, column 4: unclosed comment'],
    ['{\n"a": "open\n}', 'line 2, column 6: unclosed string'],
    ['{"a": "\\x"}', 'line 1, column 7'],
  ])('%j is refused by its place, and what is wrong there', (text, message) => {
    expect(() => parseJsonc(text)).toThrow(new Error(message));
  });
});
