import { setTimeout as wait } from 'node:timers/promises';
import type { Sleep } from '../../functions/basics/clock.ts';

/** Waits on Node's timers. */
export const sleep: Sleep = (ms, signal) => wait(ms, undefined, { signal });
