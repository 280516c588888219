import type { AnswerOf } from './protocol/answers.ts';
import type { RequestOf } from './protocol/requests.ts';

type ErasedAll = Omit<AnswerOf<'erase'>, 'cursor'>;

/** Sends one request for each slice, and adds up the answers.
 *  @param report called after each slice but the last */
export async function eraseAll(
  ask: (request: RequestOf<'erase'>) => Promise<AnswerOf<'erase'>>,
  request: RequestOf<'erase'>,
  report: (sum: ErasedAll) => void = () => undefined,
): Promise<ErasedAll> {
  let sum: ErasedAll | undefined;
  for (let cursor: string | undefined; ; ) {
    const { cursor: next, ...slice } = await ask({ ...request, ...(cursor !== undefined && { cursor }) });
    sum = sum ? added(sum, slice) : slice;
    if (next === undefined) return sum;
    report(sum);
    cursor = next;
  }
}

function added(sum: ErasedAll, slice: ErasedAll): ErasedAll {
  const erased = Object.entries(slice.erased).map(([kind, count]) => [
    kind,
    count + sum.erased[kind as keyof ErasedAll['erased']],
  ]);
  const delivered = new Map(sum.delivered.map(each => [each.endpoint, each.deliveries]));
  for (const { endpoint, deliveries } of slice.delivered)
    delivered.set(endpoint, (delivered.get(endpoint) ?? 0) + deliveries);
  return {
    ...slice,
    erased: Object.fromEntries(erased) as ErasedAll['erased'],
    delivered: [...delivered].map(([endpoint, deliveries]) => ({ endpoint, deliveries })),
  };
}

/** What was, or would be, erased. */
export function erasedText({ erased, project, workspace, process, dryRun }: ErasedAll): string {
  const { events, deliveries, deadLetters, answers } = erased;
  return (
    `${dryRun ? 'Would erase' : 'Erased'} the contents of ${events} events of project ${project} in ${workspace}/${process}, ` +
    `${deliveries} deliveries in backlogs, ${deadLetters} dead letters and ${answers} answers of receivers.`
  );
}

/** The same, and what can't be recalled, a line each. */
export function erasedLines(answer: ErasedAll): string[] {
  const { delivered, isInService } = answer;
  const counts = delivered.map(({ endpoint, deliveries }) => `${deliveries} to ${endpoint}`);
  const lines = [
    `Delivered, as far as attempts are kept: ${counts.length > 0 ? counts.join(', ') : 'none'}.`,
    'Deliveries in progress or in queues: erase again in 15 minutes. Failed messages stay until they are cleared; on one machine, until you delete rejected.jsonl.',
    'Events that SNS sent to other subscribers, backups, point-in-time recovery and logs.',
    ...(isInService
      ? [
          'The current snapshot, and contents of later events: delete the project in the service, wait for the next sweep, and erase again.',
        ]
      : []),
  ];
  return [erasedText(answer), 'Cannot be recalled:', ...lines.map(line => `- ${line}`)];
}
