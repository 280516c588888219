import { deliverUnderEachFault, type Runs } from './delivery.ts';
import { DepthFirst } from './depth-first.ts';
import { type SmallWorld, walk } from './passes.ts';

/** What was enumerated: the runs that were made, those that are known to be needed, and once these are equal the number of orders. */
export interface Progress {
  readonly made: number;
  readonly known: number;
  readonly orders?: bigint;
}

/** A small world, of which everything that can happen is enumerated. */
export interface Enumerated {
  readonly name: string;
  /** @throws the first order or fault under which an invariant does not hold */
  readonly run: (onProgress: (progress: Progress) => void) => Promise<Progress>;
}

const PAIRS: readonly SmallWorld['modes'][] = [
  ['changes', 'changes'],
  ['changes', 'sweep'],
  ['sweep', 'sweep'],
];
const EDITS = ['update project', 'update task', 'create project', 'delete task', 'delete project'] as const;

/** All small worlds: two passes and an edit, the same with a fault, and one delivery on one machine. */
export function smallWorlds(storage: SmallWorld['storage']): readonly Enumerated[] {
  const passes = [false, true].flatMap(hasFault =>
    PAIRS.flatMap(modes =>
      EDITS.slice(0, hasFault ? 1 : undefined).map(edit =>
        passesThatMeet({ storage, modes, edit, hasFault }),
      ),
    ),
  );
  return [delivery(false), delivery(true), ...passes];
}

export function passesThatMeet(small: SmallWorld): Enumerated {
  const { storage, modes, edit, hasFault } = small;
  return {
    name: `${modes.join(' and ')}, ${edit}, ${hasFault ? 'one fault' : 'no fault'}, ${storage}`,
    run: async onProgress => {
      const orders = new DepthFirst();
      for (;;) {
        await walk(small, orders);
        const isOpen = orders.next();
        const [made, known] = orders.runs;
        if (!isOpen) return { made, known, orders: orders.orders };
        onProgress({ made, known });
      }
    },
  };
}

export function delivery(isRefused: boolean, by: readonly Runs[] = ['router', 'deliverer']): Enumerated {
  return {
    name: `delivery, ${isRefused ? 'refused at first' : 'accepted'}, one fault, sqlite`,
    run: async onProgress => {
      let made = 0;
      await deliverUnderEachFault(by, isRefused, () => {
        made += 1;
        onProgress({ made, known: made });
      });
      return { made, known: made };
    },
  };
}
