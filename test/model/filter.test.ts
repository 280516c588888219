import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readExamples } from '../../docs/read-examples.ts';
import type { Json } from '../../functions/basics/json.ts';
import { type ChangeEvent, type FieldChange, sentSchemas } from '../../functions/model/event.ts';
import {
  type EndpointFilter,
  FILTER_KEYS,
  HEALTH_TYPES,
  leftOutBy,
  type ValueFilter,
  wants,
} from '../../functions/model/filter.ts';

const { events } = readExamples();
// A test event is sent to one endpoint by name, past its filter.
const all = Object.values(events).filter(({ type }) => type !== 'changewire.test') as ChangeEvent[];
const isOfHealth = (type: string) => /^(endpoint|delivery)\./.test(type);
const wanted = (filter: EndpointFilter) => all.filter(event => wants(filter, event)).map(({ type }) => type);

const change = (more: Partial<FieldChange>): FieldChange => ({
  ...{ field: 'status', name: 'Status', kind: 'custom', type: 'single-choice', from: null, to: null },
  ...more,
});
const updated = (...changes: FieldChange[]) => {
  const event = structuredClone(events['task.updated']) as ChangeEvent & { type: 'task.updated' };
  return { ...event, data: { ...event.data, changes, actors: undefined } } as ChangeEvent;
};

describe('a filter', () => {
  it('without keys wants every event but those about other endpoints', () => {
    expect(wanted({})).toEqual(all.map(({ type }) => type).filter(type => !isOfHealth(type)));
  });

  it('wants events about other endpoints only by their types, and without a key that they cannot match', () => {
    expect(HEALTH_TYPES).toEqual(Object.keys(sentSchemas).filter(isOfHealth));
    expect(wanted({ events: [...HEALTH_TYPES, 'task.updated'] })).toEqual(['task.updated', ...HEALTH_TYPES]);
    expect(wanted({ events: HEALTH_TYPES, exceptActors: ['u-1'] })).toEqual(HEALTH_TYPES);
    const keys = FILTER_KEYS.filter(key => key !== 'events' && key !== 'exceptActors');
    for (const key of keys) expect(wanted({ events: HEALTH_TYPES, [key]: [] })).toEqual([]);
    // The source of these events has the endpoint's name where others have the workspace's.
    expect(wanted({ events: HEALTH_TYPES, workspaces: ['crm'] })).toEqual([]);
  });

  it('wants what each of its keys names, by any of its entries', () => {
    const event = events['task.updated'] as ChangeEvent & { type: 'task.updated' };
    const fitting: EndpointFilter = {
      events: ['task.deleted', 'task.updated'],
      workspaces: ['other', event.source.split('/')[2] as string],
      processes: ['other', event.data.process.id],
      projects: ['other', event.data.project.id],
      fields: ['other', event.data.changes[0]?.field as string],
    };
    expect(wants(fitting, event)).toBe(true);
    for (const key of Object.keys(fitting))
      expect([key, wants({ ...fitting, [key]: ['other'] }, event)]).toEqual([key, false]);
  });

  it('names the first of its keys that an event does not match', () => {
    const event = { ...events['task.updated'] } as ChangeEvent & { type: 'task.updated' };
    const actor = { id: 'u-1', name: 'Ann Lee' };
    event.data = { ...event.data, actors: [actor] };
    expect(leftOutBy({ actors: ['u-1'], exceptActors: ['u-2'] }, event)).toBeUndefined();
    const missed: EndpointFilter = {
      events: ['task.deleted'],
      workspaces: ['other'],
      processes: ['other'],
      projects: ['other'],
      fields: ['other'],
      values: [{ field: 'other' }],
      where: [{ other: { exists: true } }],
      actors: ['other'],
      exceptActors: ['u-1'],
    };
    expect(Object.keys(missed)).toEqual(FILTER_KEYS);
    const left = Object.entries(missed);
    for (let filter = { ...missed }; left.length > 0; left.shift()) {
      filter = Object.fromEntries(left);
      expect(leftOutBy(filter, event)).toBe(left[0]?.[0]);
    }
  });

  it('by project wants no event that names none', () => {
    const ids = [...new Set(all.flatMap(({ data }) => ('project' in data ? [data.project.id] : [])))];
    const ofProjects = all.filter(({ data }) => 'project' in data);
    expect(wanted({ projects: ids })).toEqual(ofProjects.map(({ type }) => type));
  });

  it('by fields wants changes of records alone, not of definitions', () => {
    const fields = all.flatMap(({ data }) => ('changes' in data ? data.changes.map(one => one.field) : []));
    const ofRecords = ['project.created', 'project.updated', 'task.created', 'task.updated'];
    expect(new Set(wanted({ fields }))).toEqual(new Set(ofRecords));
  });

  it('names a field by its property or by the name that people see, all fields of that name', () => {
    const one = updated(change({ field: 'due', name: 'Due date' }));
    const other = updated(change({}), change({ field: 'deadline', name: 'Due date' }));
    for (const event of [one, other]) expect(wants({ fields: ['Due date'] }, event)).toBe(true);
    expect([one, other].map(event => wants({ fields: ['due'] }, event))).toEqual([true, false]);
    expect(wants({ fields: ['due date'] }, one)).toBe(false);
  });
});

const madeBy = (...actors: { id: string; name?: string }[]) => {
  const event = updated(change({}));
  return { ...event, data: { ...event.data, actors } } as ChangeEvent;
};
/** An entry of the audit log that names these users. */
const recordedOf = (users: { id: string; name?: string }[], truncated?: string[]) => {
  const event = structuredClone(events['audit.recorded']) as ChangeEvent & { type: 'audit.recorded' };
  return { ...event, data: { ...event.data, users, ...(truncated && { truncated }) } } as ChangeEvent;
};
const unknownMaker = updated(change({}));
const withoutActors = all.filter(({ type }) => /^(field|source)/.test(type));
const ann = { id: 'u-1', name: 'Ann Lee' };
const sync = { id: 'u-9', name: 'CRM sync' };

describe('a filter for actors', () => {
  const want = (actors: string[], event: ChangeEvent) => wants({ actors }, event);

  it('wants what one of those whom it names had a part in, by id or by name', () => {
    for (const named of ['u-1', 'Ann Lee']) {
      expect(want(['other', named], madeBy(ann))).toBe(true);
      expect(want([named], madeBy(sync, ann))).toBe(true);
      expect(want([named], madeBy(sync))).toBe(false);
    }
    expect(want(['ann lee', 'u-', 'undefined'], madeBy(ann, { id: 'u-2' }))).toBe(false);
    expect(want(['u-2'], madeBy({ id: 'u-2' }))).toBe(true);
  });

  it('takes the users of an audit entry for its actors', () => {
    expect(want(['other', 'u-1'], recordedOf([sync, ann]))).toBe(true);
    expect(want(['Ann Lee'], recordedOf([sync, ann]))).toBe(true);
    expect(want(['u-1'], recordedOf([sync]))).toBe(false);
    expect(want(['u-1'], recordedOf([]))).toBe(false);
  });

  it('wants no event of which nobody is known, nor one that never has actors', () => {
    expect(want(['u-1'], unknownMaker)).toBe(false);
    expect(withoutActors.some(event => want(['u-1'], event))).toBe(false);
  });
});

describe('a filter that excepts actors', () => {
  const want = (exceptActors: string[], event: ChangeEvent) => wants({ exceptActors }, event);

  it('leaves out what those alone did, by id or by name', () => {
    for (const named of ['u-9', 'CRM sync']) {
      expect(want(['other', named], madeBy(sync))).toBe(false);
      expect(want([named], madeBy(ann))).toBe(true);
    }
    expect(want(['u-9', 'Ann Lee'], madeBy(ann, sync))).toBe(false);
  });

  it('leaves out an audit entry by which those alone acted', () => {
    expect(want(['u-9'], recordedOf([sync]))).toBe(false);
    expect(want(['u-9', 'Ann Lee'], recordedOf([sync, ann]))).toBe(false);
    expect(want(['u-9'], recordedOf([sync, ann]))).toBe(true);
    expect(want(['u-9'], recordedOf([]))).toBe(true);
  });

  it('wants an audit entry of whose users some had no room in the event', () => {
    expect(want(['u-9'], recordedOf([sync], ['entry', 'projects', 'users']))).toBe(true);
    expect(want(['u-9'], recordedOf([sync], ['entry']))).toBe(false);
  });

  it('wants what nobody is known for, of every type', () => {
    expect(want(['u-9'], unknownMaker)).toBe(true);
    expect(withoutActors.filter(event => want(['u-9'], event))).toEqual(withoutActors);
  });

  it('beside one for actors wants what both want', () => {
    const filter = { actors: ['u-9'], exceptActors: ['u-9'] };
    const wantedOf = [madeBy(sync), madeBy(ann), madeBy(sync, ann)].map(event => wants(filter, event));
    expect(wantedOf).toEqual([false, false, true]);
  });
});

describe('a condition on values', () => {
  const is = (condition: Omit<ValueFilter, 'field'>, more: Partial<FieldChange>) =>
    wants({ values: [{ field: 'Status', ...condition }] }, updated(change(more)));

  it.each<[Omit<ValueFilter, 'field'>, Partial<FieldChange>, boolean]>([
    [{ to: ['Done'] }, { to: 'Done' }, true],
    [{ to: ['Open', 'Done'] }, { to: 'Done' }, true],
    [{ to: ['Done'] }, { to: 'done' }, false],
    [{ to: ['Done'] }, { from: 'Done' }, false],
    [{ from: ['Open'] }, { from: 'Open', to: 'Done' }, true],
    [{ from: ['Open'], to: ['Done'] }, { from: 'Open', to: 'Done' }, true],
    [{ from: ['Open'], to: ['Done'] }, { from: 'New', to: 'Done' }, false],
    [{ from: ['Open'], to: ['Done'] }, { from: 'Open', to: 'Gone' }, false],
    [{ to: [''] }, { from: 'Open', to: null }, true],
    [{ to: [''] }, { from: 'Open', to: '' }, true],
    [{ to: [''] }, { from: ['Open'], to: [] }, true],
    [{ to: [''] }, { to: 'Open' }, false],
    [{ to: ['0'] }, { to: null }, false],
    [{ to: [7] }, { to: '7.00', type: 'number' }, true],
    [{ to: ['7.0'] }, { to: '7', type: 'number' }, true],
    [{ to: ['7.0'] }, { to: '7', type: 'text' }, false],
    [{ to: [8] }, { to: '7', type: 'number' }, false],
    [{ to: ['many'] }, { to: 'plenty', type: 'number' }, false],
    [{ to: ['many'] }, { to: 'many', type: 'number' }, true],
    [{ to: [true] }, { to: true, type: 'boolean' }, true],
    [{ to: ['true'] }, { to: true, type: 'boolean' }, true],
    [{ to: ['Ada'] }, { to: { id: 'u1', name: 'Ada' }, type: 'object' }, true],
    [{ to: ['u1'] }, { to: { id: 'u1', name: 'Ada' }, type: 'object' }, true],
    [{ to: ['7'] }, { to: { id: 7 }, type: 'object' }, true],
    [{ to: ['undefined'] }, { to: { title: 'Ada' }, type: 'object' }, false],
    [{ to: ['null'] }, { to: { name: null }, type: 'object' }, false],
    [{ to: ['[object Object]'] }, { to: { name: {} }, type: 'object' }, false],
    [{ to: ['Legal'] }, { to: ['Legal'], type: 'multiple-choice' }, true],
    [{ to: ['Legal'] }, { to: ['Legal', 'Sales'], type: 'multiple-choice' }, false],
    [{ to: ['Ada'] }, { to: [{ name: 'Ada' }], type: 'array' }, true],
    [{ added: ['Legal'] }, { to: ['Legal', 'Sales'], added: ['Sales', 'Legal'] }, true],
    [{ added: ['Legal'] }, { to: ['Legal', 'Sales'], added: ['Sales'], removed: ['Legal'] }, false],
    [{ added: ['Legal'] }, { to: 'Legal' }, false],
    [{ removed: ['Legal'] }, { from: ['Legal'], removed: ['Legal'] }, true],
    [{ added: ['Legal'], removed: ['Sales'] }, { added: ['Legal'], removed: ['Sales'] }, true],
    [{ added: ['Legal'], removed: ['Sales'] }, { added: ['Legal'], removed: [] }, false],
  ])('%j of %j: %j', (condition, more, expected) => {
    expect(is(condition, more)).toBe(expected);
  });

  it('is of one field: what two changes have between them meets none', () => {
    const phase = change({ field: 'phase', name: 'Phase', from: 'New', to: 'Done' });
    const event = updated(change({ from: 'Open', to: 'Gone' }), phase);
    expect(wants({ values: [{ field: 'status', from: ['Open'], to: ['Done'] }] }, event)).toBe(false);
    expect(wants({ values: [{ field: 'phase', to: ['Done'] }] }, event)).toBe(true);
    expect(wants({ values: [{ field: 'status', to: ['Done'] }] }, event)).toBe(false);
  });

  it('is one of several: any of them suffices', () => {
    const values = [
      { field: 'phase', to: ['Done'] },
      { field: 'status', to: ['Done'] },
    ];
    expect(wants({ values }, updated(change({ to: 'Done' })))).toBe(true);
    expect(wants({ values, events: ['task.created'] }, updated(change({ to: 'Done' })))).toBe(false);
  });

  it('meets any value that it names as text, whatever it is, and never fails', () => {
    const value = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.jsonValue()) as fc.Arbitrary<Json>;
    const type = fc.constantFrom('text', 'number', 'date', 'single-choice', 'multiple-choice', 'object');
    fc.assert(
      fc.property(value, value, type, (from, to, type) => {
        const condition = { to: [typeof to === 'object' ? 'x' : to] };
        const met = is(condition, { from, to, type });
        if (typeof to !== 'object') expect(met).toBe(true);
      }),
    );
  });
});
