import { expect, test } from 'vitest';
import { doctorAnswer } from '../../functions/operations/protocol/answers.ts';
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
