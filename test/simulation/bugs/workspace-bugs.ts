import { type Bug, edit } from './bug.ts';

/** Bugs in what the runs of a workspace share, and in the passes of one message. */
export const WORKSPACE_BUGS: readonly Bug[] = [
  {
    name: 'a share that is not renewed',
    edits: [edit('handlers/run-share.ts', '      if (this.#isDue) this.#renewal ??= this.#renew();\n', '')],
  },
  {
    name: 'a share whose renewal was slow taken for a fresh one',
    edits: [edit('handlers/run-share.ts', '      if (!this.#isDue) return;\n', '      return;\n')],
    tests: ['handlers/run-share.test.ts'],
  },
  {
    name: 'requests of another share counted as its own',
    edits: [
      edit(
        'handlers/run-share.ts',
        'isLost ? 0 : Math.min(this.#underWay, this.#count);',
        'isLost ? 0 : this.#underWay;',
      ),
    ],
    tests: ['handlers/run-share.test.ts'],
  },
  {
    name: 'shares that have ended free twice',
    edits: [
      edit(
        'model/workspace-row.ts',
        '  const free = ceiling - countOf(taken);\n',
        '  const ended = Object.values(row.shares).filter(({ until }) => until <= now);\n' +
          '  const free = ceiling - countOf(taken) + countOf(ended);\n',
      ),
    ],
  },
  {
    name: 'a probe by every run behind a pause',
    edits: [
      edit('model/workspace-row.ts', '{ ...row, pause: { ...row.pause, until: now + PROBE_MS } }', 'row'),
    ],
  },
  {
    name: 'a pause kept though the service answers again',
    edits: [
      edit(
        'handlers/workspace-run.ts',
        '    await this.#dependencies.rows.change(workspace.name, row => ({ ...row, pause: undefined }));\n',
        '',
      ),
    ],
  },
  {
    name: 'sweeps started in a workspace that is paused',
    edits: [edit('schedule/due.ts', '...due.filter(pass => !isPaused(pass)),', '...due,')],
  },
  {
    name: 'a workspace paused for one process',
    edits: [edit('handlers/workspace-run.ts', 'if (await this.#isConfirmed(error)) {', 'if (error) {')],
  },
  {
    name: 'the passes of a message one behind the other',
    edits: [
      edit(
        'handlers/workspace-run.ts',
        '    await Promise.all(\n' +
          '      request.processes.map(async processId =>\n' +
          '        polled.set(processId, await this.#pass(processId, completions)),\n' +
          '      ),\n' +
          '    );\n',
        '    for (const processId of request.processes)\n' +
          '      polled.set(processId, await this.#pass(processId, completions));\n',
      ),
    ],
  },
  {
    name: 'a process that failed noted as idle',
    edits: [
      edit(
        'handlers/workspace-run.ts',
        "      if (!('report' in one) || one.report.outcome !== 'completed') continue;\n",
        "      const last = completions.get(id);\n      if ('error' in one && last) all.set(id, { ...last, completedAt: this.#dependencies.clock() });\n" +
          "      if (!('report' in one) || one.report.outcome !== 'completed') continue;\n",
      ),
    ],
  },
  {
    name: 'a watermark that stays though listed projects were processed',
    edits: [edit('pass/survey.ts', 'isHealthy, listing.projects.size === 0, listing', 'isHealthy, listing')],
  },
  {
    name: 'a lease taken for what was found, whoever ended a pass meanwhile',
    edits: [edit('pass/context/context.ts', 'until: now + LEASE_MS, asRead }', 'until: now + LEASE_MS }')],
    tests: ['pass/context/heartbeat.test.ts'],
  },
  {
    name: 'a lease given back that leaves no name',
    edits: [
      edit(
        'store/dynamo/leases.ts',
        "new Map([...end, ['endedBy', { S: givenBackBy(owner) }], ...(failed ?? [])])",
        'new Map([...end, ...(failed ?? [])])',
      ),
    ],
    tests: ['store/contract.test.ts'],
  },
  {
    name: 'a late reading taken for the whole of a baseline',
    edits: [
      edit(
        'store/dynamo/state.ts',
        '  if (isEventual && !isBaselined) return readState(table, process);\n',
        '',
      ),
    ],
    tests: ['store/dynamo/units.test.ts'],
  },
];
