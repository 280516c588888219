import { type Bug, edit } from './bug.ts';

/** Bugs in when passes are started, and in which messages are dropped. */
export const SCHEDULE_BUGS: readonly Bug[] = [
  {
    name: 'a claim without its condition',
    edits: [
      edit(
        'store/dynamo/tick.ts',
        '        ConditionExpression: seen === undefined ? NEVER_CLAIMED : IS_LAST_CLAIMED,\n',
        '',
      ),
      edit('store/dynamo/tick.ts', "          ...(seen !== undefined && { ':seen': { N: seen } }),\n", ''),
    ],
  },
  {
    name: 'a claim that lies ahead believed for ever',
    edits: [edit('store/tick.ts', '|| seen > now + MAX_CLAIM_AHEAD_MS ? now', '? now')],
  },
  {
    name: 'the edge of a window taken twice',
    edits: [edit('schedule/due.ts', 'lastBy(series, from) + step, begin', 'lastBy(series, from), begin')],
  },
  {
    name: 'the last of what is due left out of each window',
    edits: [
      edit('schedule/due.ts', 'Math.floor((to - first) / step) + 1', 'Math.floor((to - first) / step)'),
    ],
  },
  {
    name: 'what is due before the next tick left to that',
    edits: [edit('schedule/due.ts', 'const to = now + period;', 'const to = now;')],
  },
  {
    name: 'all sent again of which a part was not taken',
    edits: [
      edit(
        'schedule/due.ts',
        'await queue.send(unsent)',
        'await queue.send(due.map(pass => delayed(pass, now)))',
      ),
    ],
    tests: ['schedule/start-passes.test.ts'],
  },
  {
    name: 'a message that expired run all the same',
    edits: [
      edit('handlers/create-poll.ts', 'if (clock() >= expiresAt)', 'if (clock() >= expiresAt + 600_000)'),
    ],
  },
  {
    name: 'a pass that somebody asked for dropped before it is due',
    edits: [
      edit(
        'handlers/workspace-run.ts',
        `const due = request.isAsked
      ? undefined
      : (state: ProcessState) => isDue(request, settings, state, clock());`,
        'const due = (state: ProcessState) => isDue(request, settings, state, clock());',
      ),
    ],
  },
  {
    name: 'a pass that is not due yet run all the same',
    edits: [edit('handlers/workspace-run.ts', 'isPaceDue(state.pace, ', 'isPaceDue(undefined, ')],
  },
  {
    name: 'no longer wait behind a pass that found nothing',
    edits: [edit('schedule/pace.ts', 'within(2 * before.wait, rhythm)', 'within(before.wait, rhythm)')],
  },
  {
    name: 'a longer wait behind a pass that found something',
    edits: [edit('schedule/pace.ts', 'found || !before ?', '!before ?')],
  },
  {
    name: 'a pace that lies ahead believed',
    edits: [edit('schedule/pace.ts', 'at > now + rhythm.slowest + MAX_SKEW_MS ? undefined : at', 'at')],
  },
  {
    name: 'a message retried whose pass failed',
    edits: [edit('handlers/create-poll.ts', '.catch(() => undefined)', '')],
  },
];
