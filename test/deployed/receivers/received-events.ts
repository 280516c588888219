import assert from 'node:assert/strict';
import type { ChangeEvent } from '../../../functions/model/event.ts';
import { PROCESS } from '../words.ts';

/** What one receiver got of the process that is edited: every event, and which of them came again. */
export class ReceivedEvents {
  readonly #events = new Map<string, { event: ChangeEvent; json: string }>();
  /** Events that came again. */
  repeated = 0;

  /** @throws when an id comes again with other content */
  add(json: string): void {
    const event = JSON.parse(json) as ChangeEvent;
    if (event.data.process.id !== PROCESS) return;
    const known = this.#events.get(event.id);
    if (known) {
      assert.equal(json, known.json, `${event.id} came again with other content`);
      this.repeated += 1;
    } else this.#events.set(event.id, { event, json });
  }

  get events(): ChangeEvent[] {
    return [...this.#events.values()].map(({ event }) => event);
  }
}
