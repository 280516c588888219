import { type Bug, edit } from './bug.ts';

/** Bugs in what is told, in which order, and to whom. */
export const TELLING_BUGS: readonly Bug[] = [
  {
    name: "a group's second event dropped",
    edits: [
      edit(
        'delivery/chat/chat-topics.ts',
        '    ...withSharedActors(linked, actors),\n',
        '    ...withSharedActors(linked.filter((_, index) => index !== 1), actors),\n',
      ),
    ],
  },
  {
    name: 'one too few counted as left out',
    edits: [
      edit(
        'delivery/chat/chat-view.ts',
        'all > 0 ? shownLines.length : 1',
        'all > 0 ? Math.min(all, shownLines.length + 1) : 1',
      ),
    ],
  },
  {
    name: 'last fields shown instead of first',
    edits: [edit('delivery/chat/chat-view.ts', '.slice(0, detail.lines)', '.slice(-detail.lines)')],
  },
  {
    name: 'second message settled by the first outcome',
    edits: [
      edit(
        'delivery/deliver-batch.ts',
        '  let isLate = false;\n',
        '  let isLate = false;\n  let known: Outcome | undefined;\n',
      ),
      edit(
        'delivery/deliver-batch.ts',
        '    const outcome = outcomeOf(answer, secret);\n',
        '    known ??= outcomeOf(answer, secret);\n    const outcome = known;\n',
      ),
    ],
  },
  {
    name: 'a message retried with fewer words',
    edits: [
      edit(
        'delivery/kinds.ts',
        'const events = new Map(renderable.map(({ event }) => [event.id, event]));',
        'const events = new Map(\n' +
          '    renderable.map(({ event, held }) => {\n' +
          '      const isRetry = held.attempts > 0;\n' +
          "      const isLong = 'changes' in event.data && event.data.changes.length > 1;\n" +
          '      if (!isRetry || !isLong) return [event.id, event];\n' +
          '      const changes = (event.data as { changes: unknown[] }).changes.slice(0, 1);\n' +
          '      return [event.id, { ...event, data: { ...event.data, changes } } as SentEvent];\n' +
          '    }),\n' +
          '  );',
      ),
    ],
  },
  {
    name: 'only the first of two same messages settled',
    edits: [
      edit(
        'delivery/kinds.ts',
        'deliveries: renderable.filter(({ event }) => ids.has(event.id)),',
        'deliveries: renderable.filter(({ event }) => ids.delete(event.id)),',
      ),
    ],
  },
  {
    name: 'jobs behind the first left to a retry',
    edits: [
      edit(
        'delivery/deliver-batch.ts',
        'isChat(endpoint) ? 1 : CONCURRENCY, run',
        'isChat(endpoint) ? 0 : CONCURRENCY, run',
      ),
    ],
  },
  {
    name: 'a slowed chat asked again at once',
    edits: [
      edit(
        'delivery/deliver-batch.ts',
        'if (isNew) return closedTo(health.now, clock()) !== undefined;',
        "if (isNew) return endpoint.kind === 'webhook' && closedTo(health.now, clock()) !== undefined;",
      ),
    ],
  },
  {
    name: 'times of the latest event alone',
    edits: [
      edit(
        'delivery/chat/chat-topics.ts',
        'Math.min(...observed.map(span => Date.parse(span.after)))',
        'Math.max(...observed.map(span => Date.parse(span.after)))',
      ),
    ],
  },
  {
    name: 'events of one commit in any order',
    edits: [
      edit('delivery/chat/chat-topics.ts', 'indexOf(one) - indexOf(other)', 'indexOf(one) - indexOf(one)'),
    ],
  },
  {
    name: 'the first name of a renamed project as title',
    edits: [edit('delivery/chat/chat-topics.ts', 'events.findLast(event =>', 'events.find(event =>')],
  },
  {
    name: 'projects of one name told as one',
    edits: [
      edit(
        'delivery/chat/chat-topics.ts',
        'return [event.source, event.data.project.id];',
        'return [event.source, event.data.project.name ?? event.data.project.id];',
      ),
    ],
  },
  {
    name: 'a late difference cut off',
    edits: [edit('delivery/chat/chat-text.ts', 'if (same < limit / 2)', 'if (same < limit * 4)')],
  },
  {
    name: 'data as markup in Slack',
    edits: [edit('delivery/slack/slack.ts', ".replaceAll('>', '&gt;')", '')],
  },
  {
    name: 'data as a date in Teams',
    edits: [edit('delivery/teams/teams.ts', '/\\{(?=\\{)/g', '/\\{(?=\\{)/')],
  },
  {
    name: 'of several removed choices the first alone',
    edits: [edit('changes/compare-record.ts', 'removed: removed.map(', 'removed: removed.slice(0, 1).map(')],
  },
  {
    name: "a listing's older record taken for newer",
    edits: [edit('pass/decide.ts', 'theirs - ours : byReading', 'ours - theirs : byReading')],
  },
  {
    name: "a listing's record taken for newer whenever read",
    edits: [
      edit(
        'pass/decide.ts',
        'if (byReading > (listed.untimed ||',
        'if (Math.abs(byReading) > (listed.untimed ||',
      ),
      edit('pass/decide.ts', 'if (order > 0)', 'if (order !== 0)'),
    ],
  },
];
