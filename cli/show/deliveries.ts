import type { AnswerOf } from '../../functions/operations/protocol/answers.ts';
import { type Display, paint, text } from './display.ts';
import { type Column, table } from './table.ts';
import { took, when } from './times.ts';

export type Attempt = AnswerOf<'test-endpoint'>;
type DeadLetter = AnswerOf<'dead-letters'>['deadLetters'][number];
type Action = AnswerOf<'actions'>['actions'][number];

/** Attempts with their results, newest first. An address shared by all is in the line below. */
export function attemptsTable(attempts: readonly Attempt[], display: Display): string {
  const [origin, ...others] = new Set(attempts.map(one => one.origin));
  const isOne = others.length === 0;
  const columns: readonly Column[] = [
    { title: 'WHEN' },
    { title: 'EVENT', whole: true },
    { title: 'RESULT' },
    { title: 'TOOK' },
    ...(isOne ? [] : [{ title: 'ADDRESS' }]),
    { title: 'RESPONSE' },
  ];
  const rows = attempts.map(one => [
    when(one.at, display),
    eventsOf(one),
    { text: resultOf(one), style: one.failure === undefined ? ('green' as const) : ('red' as const) },
    took(one.took),
    ...(isOne ? [] : [one.origin ?? '']),
    one.answer ?? '',
  ]);
  const all = isOne && origin !== undefined ? text`\nSent to ${origin}.` : '';
  return `${table(columns, rows, display)}${all}`;
}

/** The result of one attempt, on one line. */
export function attemptLine(attempt: Attempt, display: Display): string {
  const result = paint(display, attempt.failure === undefined ? 'green' : 'red', text`${resultOf(attempt)}`);
  const answer = attempt.answer ? text`: ${attempt.answer}` : '';
  const address = attempt.origin ? text` (${attempt.origin})` : '';
  return `${result} in ${took(attempt.took)}${address}${answer}`;
}

export function deadLettersTable(deadLetters: readonly DeadLetter[], display: Display): string {
  const columns: readonly Column[] = [
    { title: 'PUBLISHED' },
    { title: 'GIVEN UP' },
    { title: 'EVENT', whole: true },
    { title: 'RECORD' },
    { title: 'ATTEMPTS' },
    { title: 'REASON' },
  ];
  const rows = deadLetters.map(({ publishedAt, diedAt, eventId, record = '', attempts, reason }) => [
    when(publishedAt, display),
    when(diedAt, display),
    eventId,
    record,
    String(attempts),
    reason,
  ]);
  return table(columns, rows, display);
}

/** The audit log, newest first. */
export function actionsTable(actions: readonly Action[], display: Display): string {
  const columns = ['WHEN', 'USER', 'ACTION', 'TARGET', 'DETAILS'].map(title => ({ title }));
  const rows = actions.map(one => [
    when(one.at, display),
    `${nameOf(one.who)}${one.isProven ? '' : ' (unverified)'}`,
    one.operation,
    one.endpoint ?? [one.workspace, one.process].filter(Boolean).join('/'),
    one.details ?? '',
  ]);
  return table(columns, rows, display);
}

function resultOf({ failure, status }: Attempt): string {
  return failure ?? (status === undefined ? 'answered' : `answered ${status}`);
}

function eventsOf({ events: [first, ...others] }: Attempt): string {
  return others.length === 0 ? (first?.id ?? '') : `${first?.id} and ${others.length} more`;
}

/** The readable part of an ARN: without partition, service and account. */
function nameOf(who: string): string {
  return who.replace(/^arn:[^:]*:[^:]*:[^:]*:[^:]*:/, '');
}

/** What an endpoint gets: of a chat the message as people read it, else the request. */
export function previewText(preview: AnswerOf<'preview'>, display: Display): string {
  const { endpoint, kind, event, committedAt, leftOut, text: message, notification, headers, body } = preview;
  const to = text`${endpoint} (${kind})`;
  const what =
    committedAt === undefined ? '' : text`${event.type} ${event.id}, ${when(committedAt, display)}`;
  const head =
    committedAt === undefined
      ? `${to} wants none of the latest events. For a test event it gets:`
      : leftOut === undefined
        ? `${to} gets for ${what}:`
        : `${to} does not get ${what}, because ${text`${leftOut}`}. Otherwise it would get:`;
  return [
    head,
    ...(notification === undefined ? [] : ['', text`Notification: ${notification}`]),
    '',
    ...(message === undefined
      ? [
          ...Object.entries(headers ?? {}).map(([name, value]) => text`${name}: ${value}`),
          ...(headers ? [''] : []),
          ...JSON.stringify(body, undefined, 2)
            .split('\n')
            .map(line => text`${line}`),
        ]
      : message.split('\n').map(line => text`${line}`)),
  ].join('\n');
}
