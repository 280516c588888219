import type { Reporter, TestCase, TestModule } from 'vitest/node';

const MAX_VALUE = 500;

/** What differed in a case. */
export interface Difference {
  readonly title: string;
  readonly problem: string;
}

/** What the tests send to the command at their end. */
export interface Verdict {
  readonly cases: number;
  readonly differences: readonly Difference[];
}

/** Prints a line for each case, and sends the verdict to the process that started this one. */
export class CaseReporter implements Reporter {
  onTestCaseResult(test: TestCase): void {
    const mark = { passed: 'ok', failed: 'differs', skipped: 'not run', pending: '' }[test.result().state];
    const repeated = test.diagnostic()?.retryCount ? ', repeated' : '';
    if (mark === 'not run') return;
    process.stdout.write(`  ${mark}${repeated}: ${test.fullName}\n`);
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly object[]): void {
    const cases = modules
      .flatMap(({ children }) => [...children.allTests()])
      .filter(test => test.result().state !== 'skipped');
    // A hook that failed belongs to a suite.
    const suites = modules.flatMap(module => [module, ...module.children.allSuites()]);
    const differences = [
      ...cases.flatMap(test => (test.result().errors ?? []).map(error => difference(test.fullName, error))),
      ...suites.flatMap(suite =>
        suite.errors().map(error => difference('fullName' in suite ? suite.fullName : 'a file', error)),
      ),
      ...errors.map(error => difference('outside of a case', error)),
    ];
    const verdict: Verdict = { cases: cases.length, differences };
    process.send?.(verdict);
  }
}

function difference(title: string, error: object): Difference {
  const { message, expected, actual } = error as Partial<Record<'message' | 'expected' | 'actual', string>>;
  const short = (value = '') => (value.length > MAX_VALUE ? `${value.slice(0, MAX_VALUE)} …` : value);
  const values = expected === undefined ? '' : `\nexpected: ${short(expected)}\nactual: ${short(actual)}`;
  return { title, problem: `${message}${values}` };
}
