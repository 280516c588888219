import { RECHECK, stateKey } from '../../../functions/store/keys.ts';
import { Violation } from '../oracle/violation.ts';
import { isOf } from '../port-calls.ts';
import { PROCESS, WORKSPACE } from '../shared.ts';
import type { Storage } from '../storage/storage.ts';

export const OF = { workspace: WORKSPACE, processId: PROCESS };

/** The rows of a process that passes of both modes and operators write: none undoes what another one wrote. */
export class StateRows<Party extends { readonly name: string }> {
  readonly #storage: Storage;
  /** The rechecks as each party last read or wrote them. */
  readonly #known = new Map<Party, ReadonlyMap<string, string>>();
  #rechecks: ReadonlyMap<string, string>;
  #hold: Hold;

  constructor(storage: Storage) {
    this.#storage = storage;
    this.#rechecks = this.#readRechecks();
    this.#hold = this.#readHold();
  }

  /** To be called after each call. @param isRead whether `by` has read the rechecks */
  check(by: Party, isRead: boolean): void {
    const [before, known] = [this.#rechecks, this.#known.get(by)];
    this.#rechecks = this.#readRechecks();
    const ids = new Set([...before.keys(), ...this.#rechecks.keys()]);
    const changed = [...ids].filter(id => before.get(id) !== this.#rechecks.get(id));
    if (changed.some(id => before.get(id) !== known?.get(id)))
      throw new Violation(8, `${by.name} writes a recheck that another one wrote since it read it`);
    if (isRead) this.#known.set(by, this.#rechecks);
    else if (changed.length > 0)
      this.#known.set(
        by,
        new Map([...(known ?? []), ...changed.map(id => [id, this.#rechecks.get(id) ?? ''] as const)]),
      );
    this.checkHold();
  }

  checkHold(): void {
    const before = this.#hold;
    this.#hold = this.#readHold();
    if (this.#hold.isReleased && !this.#hold.hold)
      throw new Violation(9, 'a release is left for the next hold');
    if (before.isReleased && !this.#hold.isReleased && this.#hold.hold)
      throw new Violation(1, 'the release of a hold is undone');
  }

  #readRechecks(): ReadonlyMap<string, string> {
    const rows = [...this.#storage.items()].filter(
      item => isOf(PROCESS, item) && item.sk?.S?.startsWith(RECHECK),
    );
    return new Map(rows.map(({ sk, ...row }) => [sk?.S ?? '', JSON.stringify(row)]));
  }

  #readHold(): Hold {
    const state = [...this.#storage.items()].find(
      item => isOf(PROCESS, item) && item.sk?.S === stateKey(OF).sk.S,
    );
    return { hold: state?.hold?.S, isReleased: state?.released?.BOOL === true };
  }
}

interface Hold {
  readonly hold: string | undefined;
  readonly isReleased: boolean;
}
