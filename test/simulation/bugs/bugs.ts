import { ACTOR_BUGS } from './actor-bugs.ts';
import { ASSERTION_BUGS } from './assertion-bugs.ts';
import type { Bug } from './bug.ts';
import { CARELESS } from './careless.ts';
import { DECIDING_BUGS } from './deciding-bugs.ts';
import { DIGEST_BUGS } from './digest-bugs.ts';
import { CHANGES } from './earlier/changes.ts';
import { DELIVERY } from './earlier/delivery.ts';
import { PASS } from './earlier/pass.ts';
import { PUBLISHING } from './earlier/publishing.ts';
import { SNAPSHOTS } from './earlier/snapshots.ts';
import { ENTRY_BUGS } from './entry-bugs.ts';
import { LOOP_BUGS } from './loop-bugs.ts';
import { RELEASE_BUGS } from './release-bugs.ts';
import { SCHEDULE_BUGS } from './schedule-bugs.ts';
import { SMALL_WORLD_BUGS } from './small-world-bugs.ts';
import { SQLITE_BUGS } from './sqlite-bugs.ts';
import { TELLING_BUGS } from './telling-bugs.ts';
import { WAITING_BUGS } from './waiting-bugs.ts';
import { WORKSPACE_BUGS } from './workspace-bugs.ts';

/** All deliberate bugs, ordered by room; those of one kind together. */
export const BUGS: readonly Bug[] = [
  ...PASS,
  ...SNAPSHOTS,
  ...PUBLISHING,
  ...CHANGES,
  ...DELIVERY,
  ...TELLING_BUGS,
  ...WAITING_BUGS,
  ...SCHEDULE_BUGS,
  ...WORKSPACE_BUGS,
  ...DECIDING_BUGS,
  ...DIGEST_BUGS,
  ...ACTOR_BUGS,
  ...ENTRY_BUGS,
  ...SQLITE_BUGS,
  ...LOOP_BUGS,
  ...RELEASE_BUGS,
  ...SMALL_WORLD_BUGS,
  ...ASSERTION_BUGS,
  ...CARELESS,
];
