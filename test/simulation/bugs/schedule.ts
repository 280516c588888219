import type { BugsByFile } from './bugs.ts';

/** Bugs in when passes are started, in what the runs of a workspace share, and in the loops of one machine. */
export const SCHEDULE: BugsByFile = {
  'schedule/due.ts': {
    'the edge of a window taken twice': ['lastBy(series, from) + step, begin', 'lastBy(series, from), begin'],
    'the last of what is due left out of each window': [
      'Math.floor((to - first) / step) + 1',
      'Math.floor((to - first) / step)',
    ],
    'what is due before the next tick left to that': ['const to = now + period;', 'const to = now;'],
    'all sent again of which a part was not taken': [
      'await queue.send(unsent)',
      'await queue.send(due.map(pass => delayed(pass, now)))',
      'schedule/start-passes.test.ts',
    ],
    'sweeps started in a workspace that is paused': ['...due.filter(pass => !isPaused(pass)),', '...due,'],
  },
  'handlers/create-poll.ts': {
    'a message that expired run all the same': [
      'if (clock() >= expiresAt)',
      'if (clock() >= expiresAt + 600_000)',
    ],
    'a message retried whose pass failed': ['.catch(() => undefined)', ''],
  },
  'handlers/workspace-run.ts': {
    'a pass that somebody asked for dropped before it is due': [
      'const due = request.isAsked\n' +
        '      ? undefined\n' +
        '      : (state: ProcessState) => isDue(request, settings, state, clock());',
      'const due = (state: ProcessState) => isDue(request, settings, state, clock());',
    ],
    'a pass that is not due yet run all the same': ['isPaceDue(state.pace, ', 'isPaceDue(undefined, '],
    'a pause kept though the service answers again': [
      '    await this.#dependencies.rows.change(workspace.name, row => ({ ...row, pause: undefined }));\n',
      '',
    ],
    'a workspace paused for one process': ['if (await this.#isConfirmed(error)) {', 'if (error) {'],
    'the passes of a message one behind the other': [
      '    await Promise.all(\n' +
        '      request.processes.map(async processId =>\n' +
        '        polled.set(processId, await this.#pass(processId, completions)),\n' +
        '      ),\n' +
        '    );\n',
      '    for (const processId of request.processes)\n' +
        '      polled.set(processId, await this.#pass(processId, completions));\n',
      'handlers/create-poll.test.ts',
    ],
    'a process that failed noted as idle': [
      "      if (!('report' in one) || one.report.outcome !== 'completed') continue;\n",
      '      const last = completions.get(id);\n' +
        "      if ('error' in one && last) all.set(id, { ...last, completedAt: this.#dependencies.clock() });\n" +
        "      if (!('report' in one) || one.report.outcome !== 'completed') continue;\n",
    ],
  },
  'schedule/pace.ts': {
    'no longer wait behind a pass that found nothing': [
      'rhythm.fastest : 2 * before.wait;',
      'rhythm.fastest : before.wait;',
    ],
    'a longer wait behind a pass that found something': ['found || !before ?', '!before ?'],
    'a pace that lies ahead believed': ['at > now + rhythm.slowest + MAX_SKEW_MS ? undefined : at', 'at'],
  },
  'handlers/run-share.ts': {
    'a share that is not renewed': ['      if (this.#isDue) this.#renewal ??= this.#renew();\n', ''],
    'a share whose renewal was slow taken for a fresh one': [
      '      if (!this.#isDue) return;\n',
      '      return;\n',
      'handlers/run-share.test.ts',
    ],
    'requests of another share counted as its own': [
      'isLost ? 0 : Math.min(this.#underWay, this.#count);',
      'isLost ? 0 : this.#underWay;',
      'handlers/run-share.test.ts',
    ],
  },
  'model/workspace-row.ts': {
    'shares that have ended free twice': [
      '  const free = ceiling - countOf(taken);\n',
      '  const ended = Object.values(row.shares).filter(({ until }) => until <= now);\n' +
        '  const free = ceiling - countOf(taken) + countOf(ended);\n',
      'model/workspace-row.test.ts',
    ],
    'a probe by every run behind a pause': [
      '{ ...row, pause: { ...row.pause, until: now + PROBE_MS } }',
      'row',
    ],
    'a pause that a later failure shortens': [
      'Math.max(now + Math.max(backoff, asked), isProbe ? 0 : (current?.until ?? 0))',
      'now + Math.max(backoff, asked)',
      { world: 'shares of a workspace: failing and down' },
    ],
  },
  'local/loops/consumer.ts': {
    'messages deleted before their handler has ended': [
      '      const again = new Set(await serve({ messages, queue }, context));\n' +
        '      await queue.delete(messages.filter(({ id }) => !again.has(id)));',
      '      const serving = serve({ messages, queue }, context);\n' +
        '      await queue.delete(messages);\n' +
        '      await serving;',
      { world: 'one machine, killed after' },
    ],
    'a run that is done with a part taken for one that is done with all': [
      'messages.filter(({ id }) => !again.has(id))',
      'again.size < messages.length ? messages : []',
    ],
    'a failed run that shows the first of its messages only': [
      'for (const message of messages)\n',
      'for (const message of messages.slice(0, 1))\n',
      'local/loops/consumer.test.ts',
    ],
    'messages of a failed run shown at once, however often it failed': [
      'soonAgain(message) ?? LATER_S',
      '0',
      'local/loops/consumer.test.ts',
    ],
    'a group served by any number of runs at once': [
      'this.#runsOf(group) >= perGroup',
      'group === undefined',
      'local/loops/consumer.test.ts',
    ],
  },
  'local/loops/delivering.ts': {
    'a pause that a command wrote undone by a start': [
      '...rest } = found ?? row ?? { name };',
      '...rest } = row ?? found ?? { name };',
      { world: 'one machine, paused' },
    ],
    'events routed by several runs at once': [
      '...{ concurrency: 1, timeout: ROUTE_MS }',
      'timeout: ROUTE_MS',
    ],
  },
  'local/sns/subscription.ts': {
    'an event sent again while its result can not be written': [
      '    await this.#write(() =>\n',
      '    await (write => write().catch(() => this.#deliver(delivery)))(() =>\n',
      { world: 'one machine, fails for long' },
    ],
  },
  'local/data/store.ts': {
    'a message deleted because another endpoint has its event in a row': [
      'WHERE endpoint = message."group"\n    AND event_id',
      'WHERE event_id',
      { world: 'one machine, killed before' },
    ],
  },
  'local/cli/ticks.ts': {
    'no passes until a clock that was set back has caught up': [
      'claimed = from === undefined ? to : undefined;',
      'claimed = undefined;',
      'local/cli/scheduling.test.ts',
    ],
  },
  'local/loops/ticker.ts': {
    'a ticker that ends with the first tick that failed': [
      'if (!signal.aborted) onFailure(error);',
      'if (!signal.aborted) onFailure(error);\n      stopping.abort();',
      'local/loops/ticker.test.ts',
    ],
    'a tick asked for during a tick that is forgotten': [
      [
        ['      isAsked = false;\n      const begunAt', '      const begunAt'],
        [
          '      await trying(() => rest(begunAt));',
          '      isAsked = false;\n      await trying(() => rest(begunAt));',
        ],
      ],
      'local/loops/ticker.test.ts',
    ],
    'a ticker that leaves out the rest of its period': [
      'left > 0 && !isAsked',
      'left > LOOK_MS && !isAsked',
      'local/loops/ticker.test.ts',
    ],
    'a ticker that compares each time of the clock with the first': [
      '    seenAt = now;\n',
      '',
      'local/loops/ticker.test.ts',
    ],
    'a period of ticks taken from the slowest pace': [
      'changes.fastest, sweep',
      'changes.slowest, sweep',
      'local/loops/ticker.test.ts',
    ],
  },
};
