import { describe, expect, it } from 'vitest';
import type { Json } from '../../functions/basics/json.ts';
import { isSameIdentifier } from '../../functions/changes/compare-record.ts';
import type { FieldChange } from '../../functions/model/event.ts';

const change = (field: string, from: Json, to: Json, more: Partial<FieldChange> = {}): FieldChange => ({
  field,
  name: field,
  kind: 'builtin',
  type: typeof to,
  from,
  to,
  ...more,
});
const isSame = (...given: Parameters<typeof change>) => isSameIdentifier('project', '7', change(...given));

describe('an identifier', () => {
  it.each(['id', 'ids', 'projectId', 'memberIds', 'projectID', 'assignee_id', 'assignee_ids', 'level2Id'])(
    'named %s is the same as a number and as a text',
    name => {
      expect([isSame(name, 12, '12'), isSame(name, '12', 12)]).toEqual([true, true]);
      expect(isSame(name, 12, '13')).toBe(false);
    },
  );

  it.each(['idle', 'paid', 'Id', 'IDs', 'projectIdle', 'projectIDNumber', 'assignee_idle', 'size', 'a_Id'])(
    'is not what is named %s',
    name => expect(isSame(name, 12, '12')).toBe(false),
  );

  it('is found in lists and objects, by the nearest name', () => {
    expect(isSame('memberIds', [1, 2], ['1', '2'])).toBe(true);
    expect(isSame('memberIds', [1, 2], ['1'])).toBe(false);
    expect(isSame('memberIds', [1, 2], ['1', '3'])).toBe(false);
    expect(isSame('owner', { id: 1, name: 'A' }, { id: '1', name: 'A' })).toBe(true);
    expect(isSame('owner', { id: 1, size: 2 }, { id: '1', size: '2' })).toBe(false);
    expect(isSame('owner', { id: 1 }, null)).toBe(false);
    expect(isSame('members', [{ id: 1 }], [{ id: '1' }])).toBe(true);
  });

  it.each([
    ['project', ['id', 'projectId', 'externalId'], ['taskId', 'name']],
    ['task', ['id', 'taskId', 'externalId'], ['projectId', 'name']],
  ] as const)('of the %s itself may come and go under its names %j, not under %j', (entity, own, others) => {
    const comes = (name: string) => isSameIdentifier(entity, 'p7', change(name, null, 'p7'));
    const goes = (name: string) => isSameIdentifier(entity, 'p7', change(name, 'p7', null));
    expect(own.map(name => comes(name) && goes(name))).toEqual([true, true, true]);
    expect(others.map(name => comes(name) || goes(name))).toEqual([false, false]);
  });

  it('of the record itself is told when it is another one, or no plain value', () => {
    expect(isSame('id', null, '8')).toBe(false);
    expect(isSame('id', '8', null)).toBe(false);
    expect(isSame('id', ['7'], '7')).toBe(false);
    expect(isSame('id', 7, '')).toBe(true);
  });

  it('is no custom field, whatever its name', () => {
    expect(isSame('projectId', 12, '12', { kind: 'custom' })).toBe(false);
  });
});
