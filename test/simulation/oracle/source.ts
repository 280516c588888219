import type { ChangeEvent } from '../../../functions/changes/event.ts';
import { Violation } from './violation.ts';

/** Judges what is told of the process itself: its sequence grows, and a stall ends before another begins. */
export class SourceOracle {
  #sequence = 0;
  #isStalled = false;

  tell({ id, type, sequence }: ChangeEvent): void {
    if (Number(sequence) < this.#sequence)
      throw new Violation(4, `${id} comes after sequence ${this.#sequence}`);
    this.#sequence = Number(sequence);
    if (type !== 'source.stalled' && type !== 'source.recovered') return;
    const isStalled = type === 'source.stalled';
    if (isStalled === this.#isStalled) throw new Violation(2, `${id} tells ${type} a second time`);
    this.#isStalled = isStalled;
  }

  /** To be asked once passes complete again. */
  checkRecovered(): void {
    if (this.#isStalled) throw new Violation(1, 'passes complete again, but the stall was never called over');
  }
}
