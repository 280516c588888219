import { clock } from './clock.ts';
import type { Examination } from './examination.ts';
import { identifiers } from './identifiers.ts';
import { listNames } from './list-names.ts';
import { token } from './token.ts';

/** All that is looked into, in the order of the report. */
export const EXAMINATIONS: readonly Examination[] = [token, listNames, identifiers, clock];
