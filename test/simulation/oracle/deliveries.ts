import type { ChangeEvent } from '../../../functions/changes/event.ts';
import type { CommitsOracle } from './commits.ts';
import { ReceiverOracle } from './receiver.ts';
import { Violation } from './violation.ts';

/** What each receiver got: every event that was committed, with one content, at least once. */
export class DeliveriesOracle {
  readonly #commits: CommitsOracle;
  readonly #copies = new Map<string, ReceiverOracle>();
  readonly #received = new Map<string, Map<string, number>>();

  constructor(commits: CommitsOracle) {
    this.#commits = commits;
  }

  /** Told of a body that a receiver took, or that its dead letters hold. */
  got(receiver: string, body: string): void {
    const event = JSON.parse(body) as ChangeEvent;
    const { id } = event;
    const text = this.#commits.texts.get(id);
    if (text === undefined) throw new Violation(2, `${receiver} got ${id}, which no change record holds`);
    if (text !== body)
      throw new Violation(3, `${receiver} got ${id} with another content than was committed`);
    const copy = this.#copies.get(receiver) ?? new ReceiverOracle();
    this.#copies.set(receiver, copy);
    copy.got(event);
    const received = this.#received.get(receiver) ?? new Map<string, number>();
    this.#received.set(receiver, received.set(id, (received.get(id) ?? 0) + 1));
  }

  /** To be asked when nothing is on its way any more; `lost` are events that went with the stream of a table. */
  checkAllArrived(receivers: readonly string[], lost: ReadonlySet<string>): void {
    for (const receiver of receivers) {
      const missing = [...this.#commits.texts.keys()].filter(
        id => !lost.has(id) && !this.#received.get(receiver)?.has(id),
      );
      if (missing.length > 0) throw new Violation(1, `${receiver} never got ${missing.join(', ')}`);
      const { told = {}, forgotten, events } = this.#commits;
      const gone = events.filter(({ id }) => lost.has(id));
      this.#copies.get(receiver)?.check(told, forgotten, gone);
    }
  }
}
