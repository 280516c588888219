import type { Clock, Random } from '../functions/basics/clock.ts';
import { changeOnce } from './changing/change-once.ts';
import type { EditApi } from './edits/edit-api.ts';

export interface ChangingOptions {
  /** Milliseconds from one edit to the next, on average; each wait lies between half of it and one and a half. */
  readonly every: number;
  readonly random?: Random;
  /** Gives "today" for new dates. */
  readonly clock?: Clock;
  /** Called when an edit fails, for instance because the disk is full. Without it the timer throws the
   *  error. */
  readonly onError?: (error: unknown) => void;
}

/** Makes believable edits until it is stopped. Its timer does not keep the process alive. */
export function startChanging(
  service: { readonly workspace: EditApi },
  options: ChangingOptions,
): { stop(): void } {
  const { every, random = Math.random, clock = Date.now, onError } = options;
  const wait = (): number => every * (0.5 + random());
  const step = (): void => {
    timer = setTimeout(step, wait()).unref();
    try {
      changeOnce(service.workspace, random, clock());
    } catch (error) {
      if (!onError) throw error;
      onError(error);
    }
  };
  let timer = setTimeout(step, wait()).unref();
  return {
    stop: () => clearTimeout(timer),
  };
}
