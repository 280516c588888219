import { type Bug, edit } from '../bug.ts';

export const PASS: readonly Bug[] = [
  {
    name: 'tasks dated by the listing of their project',
    edits: [edit('pass/commit.ts', 'tasks, at),', 'source, at),')],
  },
  {
    name: 'a project that failed not left for the next run',
    edits: [edit('pass/rounds.ts', '  await snapshots.writeRechecks(process, changes);\n', '')],
    tests: ['pass/rounds.test.ts'],
  },
  {
    name: 'a skipped project done with before its record was seen',
    edits: [
      edit(
        'pass/decide.ts',
        "  if (listing === 'changed') return 'unclear';\n  return listing === 'whole' ?",
        "  return listing !== 'unstable' ?",
      ),
    ],
    tests: ['pass/decide.test.ts'],
  },
  {
    name: 'definitions kept from pass to pass',
    edits: [
      edit(
        'pass/state.ts',
        '      const read = await readDefinitions(service, process.processId, reports);\n',
        '      const read = kept.get(this.#context.settings) ?? (await readDefinitions(service, process.processId, reports));\n' +
          '      kept.set(this.#context.settings, read);\n',
      ),
      edit(
        'pass/state.ts',
        "/** A process's field definitions during one pass",
        'const kept = new WeakMap<object, Awaited<ReturnType<typeof readDefinitions>>>();\n\n' +
          "/** A process's field definitions during one pass",
      ),
    ],
  },
];
