import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Priorities } from './meeting.ts';

const always = () => true;

function walk(order: readonly string[], changes: readonly number[], steps: Record<string, number>): string {
  const left = new Map(Object.entries(steps));
  const priorities = new Priorities(order, changes);
  const taken: string[] = [];
  for (;;) {
    const next = priorities.next(thread => (left.get(thread) ?? 0) > 0);
    if (next === undefined) return taken.join('');
    left.set(next, (left.get(next) ?? 0) - 1);
    taken.push(next);
  }
}

it('passes over who can not go, and takes no step when nobody can', () => {
  const priorities = new Priorities(['a', 'b'], [1]);
  expect(priorities.next(() => false)).toBeUndefined();
  expect(priorities.steps).toBe(0);
  expect(priorities.next(thread => thread === 'b')).toBe('b');
  expect(priorities.next(always)).toBe('b');
});

it('meets every order of two threads by changes alone', () => {
  const orders = fc.array(fc.constantFrom('a', 'b'), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(orders, order => {
      const changes = order.flatMap((thread, step) => (step > 0 && thread !== order[step - 1] ? [step] : []));
      const steps = {
        a: order.filter(one => one === 'a').length,
        b: order.filter(one => one === 'b').length,
      };
      const first = order[0] === 'a' ? ['a', 'b'] : ['b', 'a'];
      // Once one of them is done, the other needs no change.
      expect(walk(first, changes, steps)).toBe(order.join(''));
    }),
  );
});
