import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { request } from '../../functions/operations/protocol/requests.ts';
import { run } from '../kit/cli/world.ts';
import { resources, subscriptionsTemplate, testTemplate, textOf } from '../kit/infra/synthesise.ts';

const runbook = readFileSync(new URL('../../docs/runbook.md', import.meta.url), 'utf8');
const descriptions = [testTemplate(), subscriptionsTemplate()]
  .flatMap(each => resources(each, 'AWS::CloudWatch::Alarm'))
  .map(([, { AlarmDescription }]) => textOf(AlarmDescription));
const used = descriptions.map(text => {
  const [, section = ''] = /docs\/runbook\.md#([a-z-]+)$/.exec(text) ?? [];
  return section;
});
const blocks = [...runbook.matchAll(/```sh\n(.*?)```/gs)].map(([, block = '']) => block);
const linesOf = (text: string) =>
  [...text.matchAll(/```sh\n(.*?)```/gs)]
    .flatMap(([, block = '']) => block.split('\n'))
    .filter(line => line !== '' && !line.startsWith('#'));
const lines = linesOf(runbook);
/** Entries that no alarm leads to. */
const OTHERS = ['restore-the-table'];
const anchorOf = (title: string) => title.toLowerCase().replaceAll(' ', '-');

/** The chapters, by the anchor that their heading gets. */
const chapters = new Map(
  runbook
    .split(/^## /m)
    .slice(1)
    .map(chapter => [anchorOf(chapter.split('\n', 1)[0] ?? ''), chapter]),
);

describe('the runbook', () => {
  test('has one entry for each alarm, and one for each task without an alarm', () => {
    expect(used).toHaveLength(15);
    const entries = [...runbook.matchAll(/^## (.*)$/gm)].map(([, title = '']) => anchorOf(title));
    expect(entries.toSorted()).toEqual([...used, ...OTHERS].toSorted());
  });

  test.each([...used, ...OTHERS])('says for %s what it means, what to do, and when it is over', section => {
    const chapter = chapters.get(section) ?? '';
    const parts =
      /^[^\n]+\n\*\*Means:\*\* [^\n]+ \*\*Do:\*\* [^\n]+\n```sh\n.+\n```\n\*\*Over:\*\* [^\n]+\n+$/s;
    expect(chapter).toMatch(parts);
    expect(chapter.match(/\*\*\w+:\*\*/g)).toEqual(['**Means:**', '**Do:**', '**Over:**']);
    const commands = linesOf(chapter);
    expect(commands.length, commands.join('\n')).toBeLessThanOrEqual(3);
    expect(commands.length).toBeGreaterThan(0);
  });

  test('gives commands that a shell can read', () => {
    expect(blocks.length).toBeGreaterThan(10);
    execFileSync('bash', ['-n'], { input: blocks.join('\n') });
  });

  test('leads only to chapters that are there', () => {
    const asked = [...runbook.matchAll(/\]\(#([a-z-]+)\)/g)].map(([, section]) => section);
    expect(asked).toContain('failed-messages');
    expect([...chapters.keys()]).toEqual(expect.arrayContaining(asked));
  });

  test('makes nobody paste a program: each line is one command, and none defines a function, loops or pipes', () => {
    for (const line of lines) {
      expect(line).toMatch(/^(npx changewire|aws) /);
      expect(line).not.toMatch(/\(\) *\{|\$\(|\bfunction\b|\bwhile\b|\|(?!\|)|;/);
    }
  });

  test('asks of AWS itself only what no operator of Changewire need be allowed', () => {
    const services = lines.flatMap(line => /^aws ([a-z0-9-]+ [a-z-]+)/.exec(line)?.[1] ?? []);
    expect([...new Set(services)].sort()).toEqual([
      'lambda get-account-settings',
      'lambda update-event-source-mapping',
      'service-quotas request-service-quota-increase',
      'sns subscribe',
      'sqs purge-queue',
    ]);
  });
});

const ofAlarms = descriptions.flatMap(text => /^First: (npx changewire .*)$/m.exec(text)?.[1] ?? []);
/** What asks AWS itself, with an administrator's credentials, is no question to a stack; test/cli/docs.test.ts reads it. */
const ofRunbook = lines.filter(line => /^npx changewire (?!deploy|restore-table)/.test(line));

const commands = [...new Set([...ofRunbook, ...ofAlarms])];
/** The words of each command, as a shell reads them. */
const shell = commands.map(line => `printf '%s\\t' ${line}; echo`).join('\n');
const read = execFileSync('bash', ['-c', shell], { encoding: 'utf8' }).split('\n').slice(0, -1);
const wordsOf = new Map(read.map((words, index) => [commands[index], words.split('\t').slice(0, -1)]));

describe('a command of the runbook or of an alarm', () => {
  test('is there for each alarm and each chapter', () => {
    expect(ofAlarms.length).toBe(descriptions.length);
    for (const [name, chapter] of chapters) expect(chapter, name).toContain('npx changewire ');
  });

  test.each(commands)('is one that changewire takes: %s', async line => {
    const words = wordsOf.get(line) ?? [];
    // What is typed where an address is asked for.
    const told = await run(words.slice(2), { secrets: ['https://receiver.example.com/changewire'] });
    expect(told.code, told.err).not.toBe(2);
    expect(told.places).toEqual([{ stack: 'Changewire', region: 'eu-central-1' }]);
    expect(told.asked.length).toBeGreaterThan(0);
    for (const asked of told.asked) expect(() => request.parse(asked)).not.toThrow();
  });

  test('restores a table by what changewire takes, of the same stack', async () => {
    const [line = '', ...others] = lines.filter(each => each.startsWith('npx changewire restore-table '));
    expect(others).toEqual([]);
    const places: object[] = [];
    const told = await run(line.split(' ').slice(2), {
      says: true,
      stackTable: async place => {
        places.push({ ...place });
        return { name: 'T', region: 'R', restore: async () => 'U' };
      },
    });
    expect(told.code, told.err).toBe(0);
    expect(places).toEqual([{ stack: 'Changewire', region: 'eu-central-1' }]);
  });
});
