import { setTimeout as sleep } from 'node:timers/promises';
import { buildEvents } from '../../../functions/changes/build-events.ts';
import type { ChangeEvent } from '../../../functions/model/event.ts';
import type { MoveToFailed } from '../../../functions/queue/failed-messages.ts';
import { MAX_SLOT_AHEAD_MS } from '../../../functions/store/limits.ts';
import type { Slots } from '../../../functions/store/store.ts';

export const AT = Date.UTC(2026, 10, 21, 12);
export const SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;

/** For handlers that get no malformed message. */
export const NOTHING_MALFORMED: MoveToFailed = ({ body }) => Promise.reject(new Error(`malformed: ${body}`));

/** `count` valid events of one commit. */
export function someEvents(count: number, version = AT): ChangeEvent[] {
  const observed = { after: AT - 1, before: AT };
  const commit = {
    workspace: 'eu',
    processId: 'on boarding',
    projectId: 'p.1',
    projectRecord: { name: 'Acme' },
    version,
    observed: { project: observed, task: observed },
  };
  const field = { field: 'note', name: 'Note', kind: 'custom', type: 'text', from: '', to: 'x' } as const;
  const change = (id: string) =>
    ({ entity: 'task', action: 'updated', id, record: {}, fields: [field] }) as const;
  return [
    ...buildEvents(
      commit,
      Array.from({ length: count }, (_, index) => change(`t${index}`)),
    ),
  ];
}

/** Slots in memory, for the contract suite, which also tests the table's. */
export function memorySlots(): Slots {
  const slots = new Map<string, number>();
  return {
    reserveSlot: async (name, interval, now, within) => {
      const booked = slots.get(name) ?? 0;
      const slot = booked > now + MAX_SLOT_AHEAD_MS ? now : Math.max(now, booked);
      if (slot - now > within) return undefined;
      slots.set(name, slot + interval);
      return slot - now;
    },
  };
}

export interface Said {
  readonly level: 'info' | 'warn' | 'error';
  readonly message: string;
  readonly details: Record<string, unknown>;
}

/** Waits until `holds` returns true. */
export async function until(holds: () => Promise<boolean> | boolean, ms = 30_000): Promise<void> {
  for (const end = Date.now() + ms; !(await holds()); await sleep(5)) {
    if (Date.now() > end) throw new Error('It did not come true in time.');
  }
}
