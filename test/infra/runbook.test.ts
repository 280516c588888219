import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { request } from '../../functions/operations/protocol/requests.ts';
import { run } from '../cli/world.ts';
import { resources, subscriptionsTemplate, testTemplate, textOf } from './synthesise.ts';

const runbook = readFileSync(new URL('../../docs/runbook.md', import.meta.url), 'utf8');
const descriptions = [testTemplate(), subscriptionsTemplate()]
  .flatMap(each => resources(each, 'AWS::CloudWatch::Alarm'))
  .map(([, { AlarmDescription }]) => textOf(AlarmDescription));
const used = descriptions.map(text => {
  const [, section = ''] = /docs\/runbook\.md#([a-z-]+)$/.exec(text) ?? [];
  return section;
});
const blocks = [...runbook.matchAll(/```sh\n(.*?)```/gs)].map(([, block = '']) => block);
const lines = blocks.flatMap(block => block.split('\n')).filter(line => line !== '' && !line.startsWith('#'));

/** The chapters, by the anchor that their heading gets. */
const chapters = new Map(
  runbook
    .split(/^## /m)
    .slice(1)
    .map(chapter => [chapter.split('\n', 1)[0]?.toLowerCase().replaceAll(' ', '-') ?? '', chapter]),
);

describe('the runbook', () => {
  test.each([...new Set(used)])('tells of %s what it is, how to look into it, and the way out', section => {
    expect(chapters.get(section)).toMatch(/### Description.+### Investigation.+```sh.+### Resolution.+/s);
  });

  test('has no chapter that no alarm leads to, beside the general ones', () => {
    const others = [...chapters.keys()].filter(section => !used.includes(section));
    expect(others).toEqual(['before-you-begin', 'rotate-a-signing-secret', 'change-an-address', 'replay']);
  });

  test('gives commands that a shell can read', () => {
    expect(blocks.length).toBeGreaterThan(10);
    for (const block of blocks) execFileSync('bash', ['-n'], { input: block });
  });

  test('leads only to chapters that are there', () => {
    const asked = [...runbook.matchAll(/\]\(#([a-z-]+)\)/g)].map(([, section]) => section);
    expect(asked).toContain('change-an-address');
    expect([...chapters.keys()]).toEqual(expect.arrayContaining(asked));
  });

  test('makes nobody paste a program: each line is one command, and none defines a function, loops or pipes', () => {
    for (const line of lines) {
      expect(line).toMatch(/^(npx changewire|npx cdk|aws) /);
      expect(line).not.toMatch(/\(\) *\{|\$\(|\bfunction\b|\bwhile\b|\|(?!\|)|;/);
    }
  });

  test('asks of AWS itself only what no operator of Changewire need be allowed', () => {
    const services = lines.flatMap(line => /^aws ([a-z0-9-]+ [a-z-]+)/.exec(line)?.[1] ?? []);
    expect([...new Set(services)].sort()).toEqual([
      'cloudformation describe-stacks',
      'lambda list-event-source-mappings',
      'lambda update-event-source-mapping',
      'scheduler list-schedules',
      'secretsmanager put-secret-value',
      'sns subscribe',
      'sqs purge-queue',
      'sqs receive-message',
      'ssm put-parameter',
    ]);
  });
});

const ofAlarms = descriptions.flatMap(text => /^First: (npx changewire .*)$/m.exec(text)?.[1] ?? []);
const ofRunbook = lines.filter(line => line.startsWith('npx changewire '));

describe('a command of the runbook or of an alarm', () => {
  test('is there for each alarm and each chapter but those of SNS alone', () => {
    const ofSns = resources(subscriptionsTemplate(), 'AWS::CloudWatch::Alarm').length;
    expect(ofAlarms.length).toBe(descriptions.length - ofSns);
    for (const [name, chapter] of chapters) expect(chapter, name).toContain('npx changewire ');
  });

  test.each([...new Set([...ofRunbook, ...ofAlarms])])('is one that changewire takes: %s', async line => {
    const words = execFileSync('bash', ['-c', `printf '%s\\n' ${line}`], { encoding: 'utf8' })
      .trimEnd()
      .split('\n');
    // What is typed where an address is asked for.
    const told = await run(words.slice(2), { secrets: ['https://receiver.example.com/changewire'] });
    expect(told.code, told.err).not.toBe(2);
    expect(told.places).toEqual([{ stack: 'Changewire', region: 'eu-central-1' }]);
    expect(told.asked.length).toBeGreaterThan(0);
    for (const asked of told.asked) expect(() => request.parse(asked)).not.toThrow();
  });
});
