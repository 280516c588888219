import { type Bug, edit } from '../bug.ts';

export const SERVICE: readonly Bug[] = [
  {
    name: 'every page of a list as old as its first',
    edits: [
      edit(
        'service/list.ts',
        '  for (;;) {\n    const answer =',
        "  let times: Pick<Answer, 'readAt' | 'clock'> | undefined;\n  for (;;) {\n    const answer =",
      ),
      edit(
        'service/list.ts',
        'const { readAt, clock } = answer;',
        'times ??= answer;\n    const { readAt, clock } = times;',
      ),
    ],
  },
  {
    name: "how far the service's clock is off, asked once for all",
    edits: [
      edit(
        'service/reader.ts',
        "if (date !== undefined) return { readAt: date, clock: 'service' };",
        'if (date !== undefined) {\n' +
          '    const offset = offsets.get(context) ?? date - answer.at;\n' +
          '    offsets.set(context, offset);\n' +
          "    return { readAt: answer.at + offset, clock: 'service' };\n" +
          '  }',
      ),
      edit(
        'service/reader.ts',
        '/** A 2xx answer in JSON. */',
        'const offsets = new WeakMap<Context, number>();\n\n/** A 2xx answer in JSON. */',
      ),
    ],
  },
  {
    name: 'the query of a single answer dropped on the way',
    edits: [
      edit(
        'service/client.ts',
        'pathOf(context.settings.base, what.segments, what.query)',
        'pathOf(context.settings.base, what.segments)',
      ),
    ],
  },
];
