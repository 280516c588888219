import type { ChangeEvent } from '../../functions/model/event.ts';
import type { AnswerOf } from '../../functions/operations/protocol/answers.ts';
import { formatEvent } from '../../local/terminal/print.ts';
import { printable } from '../../local/terminal/text.ts';
import { attemptLine } from './deliveries.ts';
import { type Display, paint, type Style, text } from './display.ts';
import { table } from './table.ts';
import { when } from './times.ts';

type Committed = AnswerOf<'events'>['events'][number];
type Trace = AnswerOf<'trace'>;
type DeliveryResult = Trace['endpoints'][number];

/** An event as `npx changewire start` shows it, with its id below. */
export function eventText({ committedAt, event }: Committed, display: Display): string {
  const { colour, width } = display;
  // Not validated again: a newer version that committed it may have more types.
  const known = event as unknown as ChangeEvent;
  const shown = isKnown(known)
    ? formatEvent(known, { colour, ...(width !== undefined && { width }) })
    : text`${event.type}`;
  return `${shown}\n${' '.repeat(10)}${paint(display, 'dim', `${printable(event.id)}  ${when(committedAt, display)}`)}`;
}

function isKnown({ type, data }: ChangeEvent): boolean {
  return /^(project|task|field|source|audit)\./.test(type) && typeof data === 'object';
}

const STATES: Record<DeliveryResult['state'], Style> = {
  delivered: 'green',
  waiting: 'yellow',
  dead: 'red',
  unknown: 'dim',
};

const FILTERED_OUT = [{ title: 'FILTERED OUT', whole: true }, { title: 'FILTER KEY' }];

function filteredOutRow({ endpoint, by }: Trace['leftOut'][number]): string[] {
  return [endpoint, by];
}

/** When the event was committed and published, and its delivery status at each endpoint. */
export function traceText(trace: Trace, display: Display): string {
  const { published, endpoints, leftOut } = trace;
  const head = [
    eventText(trace, display),
    '',
    `committed  ${when(trace.committedAt, display)}`,
    `published  ${paint(display, published === 'yes' ? 'green' : 'yellow', published)}`,
  ];
  const others = leftOut.length > 0 ? ['', table(FILTERED_OUT, leftOut.map(filteredOutRow), display)] : [];
  if (endpoints.length === 0)
    return [...head, ...(leftOut.length > 0 ? others : ['', 'There are no endpoints.'])].join('\n');
  const rows = endpoints.map(({ endpoint, state, nextTryAt, reason, isWanted }) => [
    endpoint,
    { text: state, style: STATES[state] },
    nextTryAt === undefined ? '' : nextTry(nextTryAt, display),
    [
      ...(reason === undefined ? [] : [reason]),
      ...(isWanted ? [] : ['its filter now excludes the event']),
    ].join('; '),
  ]);
  const columns = [
    { title: 'ENDPOINT', whole: true },
    { title: 'STATE' },
    { title: 'NEXT ATTEMPT' },
    { title: 'REASON' },
  ];
  return [
    ...head,
    '',
    table(columns, rows, display),
    ...others,
    ...endpoints.flatMap(result => attemptsOf(result, display)),
  ].join('\n');
}

/** A delivery that is due waits for the others of its endpoint, or for the endpoint to answer. */
function nextTry(time: string, display: Display): string {
  return display.width !== undefined && Date.parse(time) < display.now ? 'due' : when(time, display);
}

function attemptsOf({ endpoint, attempts }: DeliveryResult, display: Display): string[] {
  if (attempts.length === 0) return [];
  return [
    '',
    paint(display, 'bold', text`${endpoint}`),
    ...attempts.map(attempt => `  ${when(attempt.at, display)}: ${attemptLine(attempt, display)}`),
  ];
}
