import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createWatch } from '../../functions/doctor/watch.ts';
import { lively, PROCESS } from '../kit/doctor/lively.ts';

const text = readFileSync(new URL('../../docs/doctor.md', import.meta.url), 'utf8');

test('docs/doctor.md tells what each finding means', async () => {
  const { examine, options } = lively();
  const { findings } = await examine();
  const watched = await createWatch({ ...options, editWithin: 1 })({ workspace: 'w', processId: PROCESS });
  const topics = [...findings, ...watched.findings].map(({ topic }) => topic);
  const rows = text.split('\n').filter(line => line.startsWith('| `'));
  const told = rows.flatMap(row =>
    [...(row.split(' | ')[0] ?? '').matchAll(/`([^`]+)`/g)].map(([, topic]) => topic),
  );
  expect(topics.filter(topic => !told.includes(topic))).toEqual([]);
  const verdicts = ['ok', 'fine', 'setting', 'warning', 'unknown'];
  expect(told.filter(topic => !topics.includes(topic ?? '') && !verdicts.includes(topic ?? ''))).toEqual([]);
});
