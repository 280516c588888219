import type { CommitsOracle } from './commits.ts';
import { Violation } from './violation.ts';

/** What each receiver got: every event that was committed, with one content, at least once. */
export class DeliveriesOracle {
  readonly #commits: CommitsOracle;
  readonly #received = new Map<string, Map<string, number>>();

  constructor(commits: CommitsOracle) {
    this.#commits = commits;
  }

  /** Told of a body that a receiver took, or that its dead letters hold. */
  got(receiver: string, body: string): void {
    const { id } = JSON.parse(body) as { id: string };
    const text = this.#commits.texts.get(id);
    if (text === undefined) throw new Violation(2, `${receiver} got ${id}, which no change record holds`);
    if (text !== body)
      throw new Violation(3, `${receiver} got ${id} with another content than was committed`);
    const received = this.#received.get(receiver) ?? new Map<string, number>();
    this.#received.set(receiver, received.set(id, (received.get(id) ?? 0) + 1));
  }

  /** To be asked when nothing is on its way any more. */
  checkAllArrived(receivers: readonly string[]): void {
    for (const receiver of receivers) {
      const lost = [...this.#commits.texts.keys()].filter(id => !this.#received.get(receiver)?.has(id));
      if (lost.length > 0) throw new Violation(1, `${receiver} never got ${lost.join(', ')}`);
    }
  }
}
