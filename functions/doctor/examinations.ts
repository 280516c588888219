import { auditLog } from './audit-log.ts';
import { clock } from './clock.ts';
import { definitions } from './definitions.ts';
import { deletedProjects } from './deleted.ts';
import type { Examination } from './examination.ts';
import { identifiers } from './identifiers.ts';
import { listNames } from './list-names.ts';
import { pageSizes } from './pages.ts';
import { paging } from './paging.ts';
import { rateLimits } from './rate-limits.ts';
import { records } from './records.ts';
import { stability } from './stability.ts';
import { taskEdits } from './task-edits.ts';
import { token } from './token.ts';
import { updateTimes } from './update-times.ts';
import { updatedAfter } from './updated-after.ts';

/** All examinations, in the order of the report. The last ones judge the answers that the others got. */
export const EXAMINATIONS: readonly Examination[] = [
  ...[token, listNames, identifiers, clock, updateTimes, updatedAfter, taskEdits, auditLog],
  ...[definitions, paging, pageSizes, deletedProjects, records, stability, rateLimits],
];
