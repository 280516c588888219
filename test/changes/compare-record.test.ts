import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Json } from '../../functions/basics/json.ts';
import { camelCase } from '../../functions/basics/property-names.ts';
import {
  indexProjectFields,
  indexTaskFields,
  isSameIdentifier,
} from '../../functions/changes/compare-record.ts';
import { ignoredFields, updateTime } from '../../functions/changes/ignored-fields.ts';
import type { FieldChange } from '../../functions/model/event.ts';

const field = (externalId: string, more = {}) => ({ externalId, name: externalId, type: 'text', ...more });

describe('field names', () => {
  it.each([
    ['Due date', 'dueDate'],
    ['due_date', 'dueDate'],
    ['due-date', 'dueDate'],
    ['DueDate', 'dueDate'],
    ['dueDate', 'dueDate'],
    ['ID', 'id'],
    ['Größe in m²', 'größeInM²'],
    ['_due  date_', 'dueDate'],
    ['', ''],
    ['--', ''],
  ])('%j in camelCase is %j', (externalId, name) => expect(camelCase(externalId)).toBe(name));

  it('finds a task field by camelCase or as it stands, a project field only as it stands', () => {
    const definitions = [field('due-date')];
    expect([...indexTaskFields(definitions).keys()].sort()).toEqual(['due-date', 'dueDate']);
    expect([...indexProjectFields(definitions).keys()]).toEqual(['due-date']);
  });

  it('prefers an exact name to a derived one, and a live field to an archived one', () => {
    const exact = indexTaskFields([
      field('dueDate', { name: 'exact' }),
      field('due-date', { name: 'derived' }),
    ]);
    expect(exact.get('dueDate')?.name).toBe('exact');
    const live = [field('dueDate', { archived: true, name: 'old' }), field('due-date', { name: 'new' })];
    for (const listed of [live, live.toReversed()])
      expect(indexTaskFields(listed).get('dueDate')?.name).toBe('new');
  });

  it.each([{ archived: true }, { missing: 'changes' }, { deleted: true }])(
    'counts a field that is %j as archived: records may not show it',
    more => {
      expect(indexProjectFields([field('a', more)]).get('a')).toEqual({
        name: 'a',
        type: 'text',
        archived: true,
      });
      expect(indexProjectFields([field('a')]).get('a')?.archived).toBe(false);
    },
  );
});

it.each([
  [{ updatedAt: '2026-01-02T03:04:05Z' }, Date.UTC(2026, 0, 2, 3, 4, 5)],
  [{ lastModified: '2026-01-02T03:04:05+01:00' }, Date.UTC(2026, 0, 2, 2, 4, 5)],
  [{ updated: 1_767_323_045 }, 1_767_323_045_000],
  [{ updated: 1_767_323_045_123 }, 1_767_323_045_123],
  [{ updated: 1_767_323_045.123456 }, 1_767_323_045_123],
  [{ updated: 1_767_323_045_123.9 }, 1_767_323_045_123],
  [{ updatedAt: 'soon' }, undefined],
  [{ updatedAt: '2026-99-02T03:04:05Z' }, undefined],
  [{ updatedAt: '7' }, undefined],
  [{ updatedAt: ['2026-01-02T03:04:05Z'] }, undefined],
  [{ updatedAt: -1 }, undefined],
  [{ updatedAt: 0 }, undefined],
  [{ updatedAt: 100_000_000_000 }, 100_000_000_000],
  [{ updatedAt: 'soon', modified: 1_767_323_045 }, 1_767_323_045_000],
  [{ createdAt: '2026-01-02T03:04:05Z' }, undefined],
  [{ updatedAt: '2026-01-02T03:04:05.123' }, Date.UTC(2026, 0, 2, 3, 4, 5, 123)],
])('update timestamps: %j was updated at %j', (record, time) => {
  vi.stubEnv('TZ', 'America/New_York');
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(updateTime(record)).toBe(time);
});

it('update timestamps are ignored under their usual names and those that the configuration adds', () => {
  expect(ignoredFields(['touched']).has('touched')).toBe(true);
  expect(ignoredFields([]).has('status')).toBe(false);
  const usual =
    'updatedAt updatedOn updatedDate updated updated_at lastUpdated lastUpdatedAt lastUpdate modifiedAt ' +
    'modifiedOn modified modified_at lastModified lastModifiedAt lastModifiedDate lastChanged lastChangedAt ' +
    'lastActivityAt';
  expect([...ignoredFields([])].sort()).toEqual(usual.split(' ').sort());
});

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
