import type { Bug } from './bug.ts';
import { CHANGES } from './careless/changes.ts';
import { DELIVERY } from './careless/delivery.ts';
import { ENDPOINTS } from './careless/endpoints.ts';
import { PASS } from './careless/pass.ts';
import { PUBLISHING } from './careless/publishing.ts';
import { SERVICE } from './careless/service.ts';
import { SNAPSHOTS } from './careless/snapshots.ts';
import { WORKSPACE_RUN } from './careless/workspace-run.ts';

/** Twenty bugs of the kind that a careful programmer makes, spread over all rooms: a stale variable, the last instead of the
 *  first, a check dropped in a rare branch, a set compared by its size. */
export const CARELESS: readonly Bug[] = [
  ...PASS,
  ...SNAPSHOTS,
  ...SERVICE,
  ...CHANGES,
  ...PUBLISHING,
  ...DELIVERY,
  ...ENDPOINTS,
  ...WORKSPACE_RUN,
];
