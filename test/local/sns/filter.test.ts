import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matchesFilter } from '../../../local/sns/messages.ts';
import { receiver, startSns } from '../../kit/local/sns.ts';

describe('a filter policy', () => {
  it('lets through what has one of the listed values in every listed attribute', async () => {
    const { sns, publish } = await startSns();
    const [endpoint, everything] = [await receiver(), await receiver()];
    const filter = { eventType: ['task.updated', 'task.created'], changedFields: ['status', 'dueDate'] };
    await (await sns.subscribe({ url: endpoint.url, raw: true, filter })).confirmed;
    await (await sns.subscribe({ url: everything.url, raw: true })).confirmed;
    await publish(['both'], { eventType: 'task.updated', changedFields: ['title', 'status'] });
    await publish(['other type'], { eventType: 'project.updated', changedFields: ['status'] });
    await publish(['no attribute'], { eventType: 'task.updated' });
    await publish(['plain string'], { eventType: 'task.created', changedFields: 'dueDate' });
    await sns.idle();
    const bodies = endpoint.notifications().map(({ body }) => body);
    expect(bodies.sort()).toEqual(['both', 'plain string']);
    expect(everything.notifications()).toHaveLength(4);
  });

  it('matches an array exactly when it shares an element with the list', () => {
    const word = fc.constantFrom('a', 'b', 'c', '"', '["a"]', '__proto__', 'constructor');
    const words = fc.uniqueArray(word, { minLength: 1 });
    fc.assert(
      fc.property(word, words, fc.array(word), (name, listed, elements) => {
        const attributes = Object.fromEntries([
          [name, { Type: 'String.Array', Value: JSON.stringify(elements) }],
        ]);
        const filter = Object.fromEntries([[name, listed]]);
        expect(matchesFilter(filter, attributes)).toBe(elements.some(element => listed.includes(element)));
        expect(matchesFilter(filter, {})).toBe(false);
      }),
    );
  });

  it('matches no malformed array and no other type of attribute', () => {
    const filter = { field: ['a', '["a"', '1'] };
    expect(matchesFilter(filter, { field: { Type: 'String.Array', Value: '["a"' } })).toBe(false);
    expect(matchesFilter(filter, { field: { Type: 'String.Array', Value: '"a"' } })).toBe(false);
    expect(matchesFilter(filter, { field: { Type: 'Number', Value: '1' } })).toBe(false);
    expect(matchesFilter(undefined, {})).toBe(true);
  });
});
