import { expect, it } from 'vitest';
import { skippedEvent } from '../../functions/changes/process-events.ts';
import type { ChangeEvent } from '../../functions/model/event.ts';
import type { EndpointFilter } from '../../functions/model/filter.ts';
import { whyLeftOut } from '../../functions/model/left-out.ts';
import { AT, PROCESSES } from '../kit/operations/context.ts';
import { eventsOf } from '../kit/operations/events.ts';

const [known, unknown] = eventsOf(AT, 2, { actors: { t0: [{ id: 'u1' }, { id: 'u2', name: 'Ann' }] } });
const [first] = PROCESSES as [(typeof PROCESSES)[number]];
const at = { version: AT, index: 0, at: AT, since: 0 };
const skipped = skippedEvent(first, { ...at, projectId: '7', reason: '' });

it.each([
  [{ events: ['task.created'] }, known, 'its type is task.updated'],
  [{ workspaces: ['x'] }, known, `its workspace is ${first.workspace}`],
  [{ processes: ['x'] }, known, `its process is ${first.processId}`],
  [{ projects: ['x'] }, known, 'its project is Acme'],
  [{ projects: ['x'] }, skipped, 'its project is 7'],
  [{ fields: ['x'] }, known, 'none of the fields changed'],
  [{ values: [{ field: 'note', to: ['y'] }] }, known, 'no field changed between these values'],
  [{ actors: ['x'] }, known, 'it was made by u1, Ann'],
  [{ actors: ['x'] }, unknown, 'the users who made it are unknown'],
  [{ exceptActors: ['u1', 'Ann'] }, known, 'only excluded users made it'],
  [{ exceptActors: ['u1'] }, known, undefined],
])('a filter %j leaves an event out for its reason', (filter, event, why) => {
  expect(whyLeftOut(filter as EndpointFilter, event as ChangeEvent)).toBe(why);
});
