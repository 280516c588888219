import { type Bug, edit } from '../bug.ts';

export const CHANGES: readonly Bug[] = [
  {
    name: 'sets of choices compared by their size',
    edits: [
      edit(
        'changes/compare-record.ts',
        'if (added.length === 0 && removed.length === 0) return undefined;',
        'if (before.size === after.size) return undefined;',
      ),
    ],
  },
  {
    name: "a number's trailing zeros not counted in its power",
    edits: [
      edit(
        'basics/decimal.ts',
        ' - fraction.length + (digits.length - significant.length)',
        ' - fraction.length',
      ),
    ],
  },
  {
    name: 'a field that came back still missing',
    tests: ['changes/definitions.test.ts'],
    edits: [
      edit(
        'changes/compare-definitions.ts',
        'return before.missing === undefined ? before : plainOf(before);',
        'return before;',
      ),
    ],
  },
];
