import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildEvents } from '../../functions/changes/build-events.ts';
import { auditEvents, fieldEvents, onHoldEvent } from '../../functions/changes/process-events.ts';
import type { ChangeEvent, FieldChange } from '../../functions/model/event.ts';
import { bytesOf, messageOf } from '../../functions/topic/send-batch.ts';

const AT = Date.UTC(2026, 10, 21, 12);
const origin = { workspace: 'eu', processId: 'on boarding' };

/** The event of one task whose `fields` changed. */
function taskEvent(fields: readonly string[], projectId = 'p1', name = 'Acme'): ChangeEvent {
  const observed = { after: AT - 1, before: AT };
  const commit = {
    ...{ ...origin, projectId, version: AT, projectRecord: { name } },
    observed: { project: observed, task: observed },
  };
  const change = (field: string): FieldChange => ({
    ...{ field, name: 'Note', kind: 'custom', type: 'text' },
    ...{ from: '', to: 'x' },
  });
  const changes = fields.map(change);
  const events = buildEvents(commit, [
    { entity: 'task', action: 'updated', id: 't1', record: {}, fields: changes },
  ]);
  return events[0] as ChangeEvent;
}

const attributesOf = (event: ChangeEvent) =>
  Object.fromEntries(
    Object.entries(messageOf(event).MessageAttributes).map(([name, { StringValue }]) => [name, StringValue]),
  );
const namesOf = (event: ChangeEvent): string[] => JSON.parse(attributesOf(event).changedFields ?? '[]');

describe('messages', () => {
  it('are the event, with the attributes that filters ask for', () => {
    const event = taskEvent(['note', 'due']);
    const { Message, MessageAttributes } = messageOf(event);
    expect(JSON.parse(Message)).toEqual(event);
    expect(MessageAttributes).toEqual({
      eventType: { DataType: 'String', StringValue: 'task.updated' },
      workspace: { DataType: 'String', StringValue: 'eu' },
      processId: { DataType: 'String', StringValue: 'on boarding' },
      projectId: { DataType: 'String', StringValue: 'p1' },
      changedFields: { DataType: 'String.Array', StringValue: '["note","due"]' },
    });
  });

  const at = { version: AT, at: AT };
  const entry = { id: 'a'.repeat(32), entry: { project: 'p1' }, projects: ['p1'], tasks: [], users: [] };
  const field = { externalId: 'note', name: 'Note', type: 'text' };
  const changes = [{ field: 'name', from: 'N', to: 'Note' }] as const;
  it.each([
    ['the process itself', 'source.held', onHoldEvent(origin, { ...at, missing: 11, known: 20 })],
    ['an audit entry, which may be of several', 'audit.recorded', auditEvents(origin, [entry], at)[0]],
    [
      'a definition, whose properties are no fields of records',
      'field.updated',
      fieldEvents(origin, [{ entity: 'task', action: 'updated', field, changes }], at)[0],
    ],
  ])('of an event about %s name no project and no fields', (_, eventType, event) => {
    const attributes = { eventType, workspace: 'eu', processId: 'on boarding' };
    expect(attributesOf(event as ChangeEvent)).toEqual(attributes);
  });

  it('of an event without changed fields name none: SNS takes no empty list', () => {
    expect(messageOf(taskEvent([])).MessageAttributes).not.toHaveProperty('changedFields');
  });

  it('name the first changed fields up to 12,000 bytes of JSON: with 240 KB of event they stay under 256 KB', () => {
    const name = (index: number) => `field-${String(index).padStart(3, '0')}`;
    const all = Array.from({ length: 1_001 }, (_, index) => name(index));
    // Each takes 12 bytes: 9 letters, quotes and a comma.
    expect(namesOf(taskEvent(all.slice(0, 1_000)))).toEqual(all.slice(0, 1_000));
    expect(namesOf(taskEvent(all))).toEqual(all.slice(0, 1_000));
    expect(namesOf(taskEvent(['é'.repeat(5_998)]))).toHaveLength(1);
    expect(namesOf(taskEvent(['é'.repeat(5_999)]))).toEqual([]);
    expect(namesOf(taskEvent(['a', 'x'.repeat(12_000), 'b']))).toEqual(['a']);
  });

  it('have only characters that XML 1.0 allows, and lose none of the event', () => {
    const allowed = /^[\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]*$/u;
    const units = fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(
        units.map(codes => String.fromCharCode(...codes)),
        text => {
          const message = messageOf(taskEvent(['note'], text, text));
          expect(JSON.parse(message.Message).data.project.name).toBe(text);
          expect(message.Message).toMatch(allowed);
          expect(message.MessageAttributes.projectId?.StringValue).toMatch(allowed);
        },
      ),
    );
  });

  it('show a character that XML forbids as the replacement character, and keep tabs and line breaks', () => {
    expect(attributesOf(taskEvent([], 'a\0b\uD800c\uFFFEd\t\r\n')).projectId).toBe(
      'a\uFFFDb\uFFFDc\uFFFDd\t\r\n',
    );
  });

  it('are counted as SNS does: the text and each attribute’s name, type and value, in bytes', () => {
    const attributes = {
      é: { DataType: 'String', StringValue: 'naïve' },
      b: { DataType: 'String.Array', StringValue: '[]' },
    };
    expect(bytesOf({ Message: '€', MessageAttributes: {} })).toBe(3);
    expect(bytesOf({ Message: '€', MessageAttributes: attributes })).toBe(3 + 2 + 6 + 6 + 1 + 12 + 2);
  });
});
