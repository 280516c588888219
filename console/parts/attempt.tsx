import type { AnswerOf } from '../../functions/operations/protocol/answers.ts';
import { about } from '../model/times.ts';
import { Ago } from './times.tsx';

export type Attempt = AnswerOf<'test-endpoint'>;

/** The result of a request: `answered 200 in 12 ms`, and the response. */
export function AttemptResult({ attempt }: { readonly attempt: Attempt }) {
  const { failure, status, took, origin } = attempt;
  const answer = answerText(attempt);
  const isGood = failure === undefined;
  return (
    <div class="attempt">
      <span class={isGood ? 'good' : 'bad'}>
        <span class="attempt-mark" aria-hidden="true">
          {isGood ? '✓' : '✕'}
        </span>{' '}
        <bdi>{failure ?? (status === undefined ? 'answered' : `answered ${status}`)}</bdi>
      </span>{' '}
      <span class="quiet">
        in {took < 10_000 ? `${Math.round(took)} ms` : about(took)}
        {origin !== undefined && (
          <>
            {' '}
            · <bdi>{origin}</bdi>
          </>
        )}
      </span>
      {answer !== '' && (
        <pre class="answer">
          <bdi>{answer}</bdi>
        </pre>
      )}
    </div>
  );
}

/** The response as far as it is kept: its headers, an empty line, its body. */
function answerText({ headers = {}, answer = '' }: Attempt): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [
    ...lines,
    ...(lines.length > 0 && answer !== '' ? [''] : []),
    ...(answer === '' ? [] : [answer]),
  ].join('\n');
}

/** Attempts in the given order. */
export function AttemptList({ attempts }: { readonly attempts: readonly Attempt[] }) {
  return (
    <ol class="attempts">
      {attempts.map(attempt => (
        <li key={`${attempt.at} ${attempt.events[0]?.id}`}>
          <span class="quiet attempt-when">
            <Ago at={attempt.at} />
          </span>
          <AttemptResult attempt={attempt} />
        </li>
      ))}
    </ol>
  );
}
