import { expect, it } from 'vitest';
import { UNKNOWN_PROCESS } from '../../functions/model/process-state.ts';
import { Findings } from '../../functions/pass/rechecks.ts';

it('hands out what was found since it was last asked for, in the order of ids, and keeps all', () => {
  const findings = new Findings(UNKNOWN_PROCESS, 3);
  findings.set('9', { end: 'settled' });
  findings.set('10', { end: 'unclear' });
  expect(findings.takeNew()).toEqual([
    ['10', { end: 'unclear' }],
    ['9', { end: 'settled' }],
  ]);
  expect(findings.takeNew()).toEqual([]);
  findings.set('10', { end: 'vanished' });
  expect(findings.takeNew()).toEqual([['10', { end: 'vanished' }]]);
  expect(findings.sorted().map(([id]) => id)).toEqual(['10', '9']);
  expect(findings.idsOf('vanished', 'unclear')).toEqual(['10']);
});
