import { expect, it } from 'vitest';
import { changeLine } from '../../../console/model/change-line.ts';
import { recordsNamed, recordText } from '../../../console/model/records.ts';
import { taskEvent } from '../../kit/console/events.ts';

it('finds records by all words of their name or by their id, each once, tasks apart from their project', () => {
  const kiosk = { id: '7', name: 'Kiosk North' };
  const lines = [
    taskEvent({ project: kiosk, task: { id: '71', name: 'Open the kiosk' } }),
    taskEvent({ project: kiosk }),
    taskEvent({ project: { id: '8', name: 'Bakery' }, task: { id: '7', name: 'Ovens' } }),
    taskEvent({ process: 'launch', project: kiosk }),
  ].map(changeLine);
  const found = (text: string) => recordsNamed(lines, text).map(one => `${one.process}: ${recordText(one)}`);
  expect(found('KIOSK')).toEqual([
    'onboarding: Kiosk North (7)',
    'onboarding: Kiosk North › Open the kiosk (71)',
    'launch: Kiosk North (7)',
  ]);
  expect(found('north kio')).toEqual(['onboarding: Kiosk North (7)', 'launch: Kiosk North (7)']);
  expect(found(' 7 ')).toEqual([
    'onboarding: Kiosk North (7)',
    'onboarding: Bakery › Ovens (7)',
    'launch: Kiosk North (7)',
  ]);
  expect(found('ov')).toEqual(['onboarding: Bakery › Ovens (7)']);
  expect(recordsNamed(lines, '')).toHaveLength(5);
});
