import { expect, test } from 'vitest';
import { createWatch } from '../../functions/doctor/watch.ts';
import { doctorAnswer } from '../../functions/operations/protocol/answers.ts';
import { readDocument } from '../kit/docs/documents.ts';
import { lively, PROCESS } from '../kit/doctor/lively.ts';
import { doctorSetup, findingOf } from '../kit/doctor/setup.ts';

test('a plain service is fine, and needs no setting', async () => {
  const answer = await doctorSetup().examine();
  expect(doctorAnswer.parse(answer)).toEqual(answer);
  expect(answer.findings.filter(({ verdict }) => verdict === 'warning' || verdict === 'setting')).toEqual([]);
  expect(answer.settings).toEqual({ workspace: {}, process: {} });
});

test('credentials that are refused are one finding, and nothing else is asked', async () => {
  const { examine, service } = doctorSetup({ secret: 'wrong' });
  const answer = await examine();
  expect(findingOf(answer, 'token life')).toMatchObject({
    verdict: 'warning',
    came: expect.stringContaining('status 401'),
  });
  expect(answer.findings.slice(1).map(({ verdict }) => verdict)).toEqual(
    answer.findings.slice(1).map(() => 'unknown'),
  );
  expect(service.requests.map(({ path }) => path)).toEqual(['/oauth/token']);
});

test('docs/doctor.md tells what each finding means', async () => {
  const { examine, options } = lively();
  const { findings } = await examine();
  const watched = await createWatch({ ...options, editWithin: 1 })({ workspace: 'w', processId: PROCESS });
  const topics = [...findings, ...watched.findings].map(({ topic }) => topic);
  const rows = readDocument('docs/doctor.md')
    .split('\n')
    .filter(line => line.startsWith('- `'));
  const told = rows.flatMap(row =>
    [...(row.split(': ')[0] ?? '').matchAll(/`([^`]+)`/g)].map(([, topic]) => topic),
  );
  expect(topics.filter(topic => !told.includes(topic))).toEqual([]);
  const verdicts = ['ok', 'fine', 'setting', 'warning', 'unknown'];
  expect(told.filter(topic => !topics.includes(topic ?? '') && !verdicts.includes(topic ?? ''))).toEqual([]);
});
