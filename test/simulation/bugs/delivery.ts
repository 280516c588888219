import type { BugsByFile } from './bugs.ts';

/** Bugs in routing, delivering, chats and replays. */
export const DELIVERY: BugsByFile = {
  'model/windows.ts': {
    'a digest a day late': ['return timeIn(zone, day, time);', 'return timeIn(zone, addDays(day, 1), time);'],
    'a window twice as long': [
      'began + (milliseconds(window) ?? 0)',
      'began + 2 * (milliseconds(window) ?? 0)',
    ],
  },
  'delivery/settlers.ts': {
    'a dead letter that could not be written is gone': [
      '    return this.ports.deliveries.deadLetter(this.endpoint, id, death);\n',
      '    return this.ports.deliveries\n' +
        '      .deadLetter(this.endpoint, id, death)\n' +
        '      .catch(() => this.ports.deliveries.remove(this.endpoint, [id]));\n',
      'delivery/row-settler.test.ts',
    ],
    'a message whose visibility could not be set is gone': [
      [
        [
          '    this.again.push(...messages.map(({ id }) => id));\n',
          '    const queue = {\n' +
            '      ...this.#queue,\n' +
            '      extend: (message: { receipt: string }, seconds: number) =>\n' +
            '        this.#queue.extend(message, seconds).then(() => this.again.push((message as Message).id)),\n' +
            '    };\n',
        ],
        ['queue: this.#queue }, this.ports.log', 'queue }, this.ports.log'],
      ],
    ],
    'a row that nobody is told of': [
      '    const at = await this.#health.backlogAdded(due, first);\n',
      '    const isSeen = all.every(({ id }) => this.#messageOf(id).receives !== 1);\n' +
        '    const at = isSeen ? inRow : await this.#health.backlogAdded(due, first);\n',
    ],
    'a row that an earlier run wrote left behind a delivery': [
      'return this.#messageOf(id).receives > 1;',
      'return this.#messageOf(id).receives > 2;',
    ],
    'a whole slice of rows gone with the first that is delivered': [
      '    const places = all.map(({ id }) => id);\n',
      '    const places = [...this.open, ...all].map(({ id }) => id);\n',
    ],
    'a message that leaves the queue before its row is written': [
      'await this.ports.deliveries.add(all.map(delivery => ({ ...delivery, due: inRow })));',
      'void this.ports.deliveries.add(all.map(delivery => ({ ...delivery, due: inRow }))).catch(() => {});',
      { world: 'one machine, fails' },
    ],
  },
  'delivery/deliver-batch.ts': {
    'messages behind a slowed one taken for delivered': [
      "if (start === 'closed') return settler.waits(all);",
      "if (start === 'closed') return settler.delivered(all);",
    ],
    'second message settled by the first outcome': [
      [
        ['  let isLate = false;\n', '  let isLate = false;\n  let known: Outcome | undefined;\n'],
        [
          '    const { answer, outcome } = judged(endpoint, received, secret);\n',
          '    const { answer, outcome: own } = judged(endpoint, received, secret);\n    known ??= own;\n    const outcome = known;\n',
        ],
      ],
    ],
    'jobs behind the first left to a retry': [
      'isChat(endpoint) ? 1 : CONCURRENCY, run',
      'isChat(endpoint) ? 0 : CONCURRENCY, run',
      'delivery/deliver-batch.test.ts',
    ],
    'a slowed chat asked again at once': [
      'if (isNew) return closedTo(health.now, clock()) !== undefined;',
      "if (isNew) return endpoint.kind === 'webhook' && closedTo(health.now, clock()) !== undefined;",
    ],
  },
  'delivery/chat/chat-topics.ts': {
    "a group's second event dropped": [
      '    ...withSharedActors(linked, actors),\n',
      '    ...withSharedActors(linked.filter((_, index) => index !== 1), actors),\n',
    ],
    'times of the latest event alone': [
      'Math.min(...observed.map(span => Date.parse(span.after)))',
      'Math.max(...observed.map(span => Date.parse(span.after)))',
    ],
    'events of one commit in any order': ['indexOf(one) - indexOf(other)', 'indexOf(one) - indexOf(one)'],
    'the first name of a renamed project as title': ['events.findLast(event =>', 'events.find(event =>'],
    'projects of one name told as one': [
      'return JSON.stringify([event.source, event.data.project.id]);',
      'return JSON.stringify([event.source, event.data.project.name ?? event.data.project.id]);',
    ],
  },
  'delivery/chat/chat-view.ts': {
    'one too few counted as left out': [
      'all > 0 ? shownLines.length : 1',
      'all > 0 ? Math.min(all, shownLines.length + 1) : 1',
    ],
    'last fields shown instead of first': ['.slice(0, detail.lines)', '.slice(-detail.lines)'],
  },
  'delivery/kinds.ts': {
    'a batch that is sent without its third event': [
      'const events = some.map(({ event, body }) => ({',
      'const events = some.slice(0, 2).map(({ event, body }) => ({',
    ],
    'a message retried with fewer words': [
      'const events = new Map(renderable.map(({ event }) => [event.id, event]));',
      'const events = new Map(\n' +
        '    renderable.map(({ event, attempts = 0 }) => {\n' +
        '      const isRetry = attempts > 0;\n' +
        "      const isLong = 'changes' in event.data && event.data.changes.length > 1;\n" +
        '      if (!isRetry || !isLong) return [event.id, event];\n' +
        '      const changes = (event.data as { changes: unknown[] }).changes.slice(0, 1);\n' +
        '      return [event.id, { ...event, data: { ...event.data, changes } } as SentEvent];\n' +
        '    }),\n' +
        '  );',
    ],
    'only the first of two same messages settled': [
      'deliveries: renderable.filter(({ event }) => ids.has(event.id)),',
      'deliveries: renderable.filter(({ event }) => ids.delete(event.id)),',
    ],
  },
  'delivery/chat/chat-text.ts': {
    'a late difference cut off': ['if (same < limit / 2)', 'if (same < limit * 4)'],
  },
  'delivery/slack/slack.ts': {
    'data as markup in Slack': [".replaceAll('>', '&gt;')", ''],
  },
  'delivery/teams/teams.ts': {
    'data as a date in Teams': ['/\\{(?=\\{)/g', '/\\{(?=\\{)/'],
  },
  'handlers/create-route.ts': {
    'of messages that are not in their queues the first alone': [
      'unsentOf(routed, indexes)',
      'unsentOf(routed, indexes.slice(0, 1))',
    ],
  },
  'delivery/health.ts': {
    'what was added behind a look forgotten': [
      'if (waiting?.added !== added) return undefined;',
      'if (!waiting) return undefined;',
      { world: 'endpoint that fails: 2 rows, drain and deliver' },
    ],
    'later events that no longer wait once others join the backlog': [
      'first: first || waiting?.first === true,',
      'first,',
      { world: 'endpoint: 1 rows, refused and drain and resume' },
    ],
  },
  'delivery/drain.ts': {
    'a whole turn by the health that an endpoint had at its beginning': [
      'const row = await rows.read(name);',
      'const known = turn as Turn & { row?: EndpointRow | undefined };\n' +
        '  const row = (known.row ??= await rows.read(name));',
    ],
    'a rate that grows though attempts fail': [
      '  if (row.health.failures) turn.since = began;\n',
      '',
      'delivery/drain.test.ts',
    ],
    'a row that falls due while rows are read left to nobody': [
      'deliveries.nextDue(name, now)',
      'deliveries.nextDue(name, dependencies.clock())',
      { world: 'refused and drain and time' },
    ],
  },
  'delivery/reports.ts': {
    'as many reports removed as were sent': [
      'open.filter(({ version }) => !versions.has(version))',
      'open.slice(versions.size)',
      { world: 'reports of an endpoint: reports and reports and recovers and dies, dynamodb' },
    ],
  },
  'delivery/endpoint-health.ts': {
    'a recovery not reported after an operator resumed the endpoint': [
      'if (!hasProblems(this.now) && !this.now.reports?.problem) return;',
      'if (!hasProblems(this.now)) return;',
      { world: 'endpoint that fails: 2 rows, drain and resume' },
    ],
  },
  'operations/deliveries.ts': {
    'of dead letters that are sent again the first alone': [
      'await deliveries.requeue(to, clock(), undefined, MAX_COUNTED);',
      'await deliveries.requeue(to, clock(), undefined, 1);',
      { world: 'one machine, a resend of dead letters by a command' },
    ],
  },
  'local/cli/exchange.ts': {
    'a reload that ends where the last deliveries could not be saved': [
      "this.#machine.output.warn(text, { code: 'run.stop-failed' });",
      'throw new Error(text);',
      { world: 'one machine, a failure in a reload' },
    ],
  },
  'local/cli/runtime.ts': {
    'parts of a start that failed left running': [
      '    await closers.disposeAsync().catch(() => undefined);\n    throw error;',
      '    throw error;',
      { world: 'one machine, a reload whose secret can not be read' },
    ],
  },
  'local/cli/undelivered.ts': {
    'of messages for an endpoint that is not configured the last alone kept': [
      'await deliveries.add(messages.map(',
      'await deliveries.add(messages.slice(-1).map(',
      { world: 'one machine, a reload without the webhook' },
    ],
  },
  'operations/replay.ts': {
    'the last event of each slice left out of a replay': [
      'const added = wanted.map(',
      'const added = wanted.slice(0, -1).map(',
    ],
  },
  'delivery/queues.ts': {
    'deliveries addressed by another attribute than in the last release': [
      "const ENDPOINT = 'endpoint'",
      "const ENDPOINT = 'to'",
    ],
  },
};
