import type { AnswerOf, AnswerTo } from './protocol/answers.ts';
import type { Request } from './protocol/requests.ts';
import { NOT_IN_JOURNAL, Refused } from './refused.ts';

type Ask = <Asked extends Request>(request: Asked) => Promise<AnswerTo<Asked>>;
/** The deliveries of a process's events, by state. */
type DeliveriesByState = NonNullable<AnswerOf<'verify'>['deliveries']>;
type Missing = DeliveriesByState['missing'][number];
type DeliveryCounts = Omit<DeliveriesByState, 'missing'>;

interface Options {
  /** Called after each slice. */
  readonly report?: (progress: { readonly deliveries: number; readonly readTo?: string | undefined }) => void;
  /** Waits until the runs that now send deliveries have saved their attempts. */
  readonly wait: () => Promise<void>;
}

/** Missing deliveries that are looked for again. */
const MAX_TRACED = 100;

/** Reads the deliveries of a process's events of the last days. A run removes a delivery from the backlog before
 *  it saves the attempt: so those without a trace are looked for again. */
export async function verifyDeliveries(
  ask: Ask,
  { process, workspace }: { readonly process: string; readonly workspace?: string | undefined },
  { report = () => undefined, wait }: Options,
): Promise<DeliveriesByState> {
  const sum = { delivered: 0, waiting: 0, dead: 0, unknown: 0 };
  const missing: Missing[] = [];
  for (let cursor: string | undefined; ; ) {
    const { deliveries, readTo, ...slice } = await ask({
      ...({ operation: 'verify', process, part: 'deliveries' } as const),
      ...(workspace !== undefined && { workspace }),
      ...(cursor !== undefined && { cursor }),
    });
    for (const state of ['delivered', 'waiting', 'dead', 'unknown'] as const)
      sum[state] += deliveries?.[state] ?? 0;
    missing.push(...(deliveries?.missing ?? []));
    report({ deliveries: Object.values(sum).reduce((all, one) => all + one, missing.length), readTo });
    cursor = slice.cursor;
    if (cursor === undefined) break;
  }
  if (missing.length === 0) return { ...sum, missing };
  await wait();
  const still: Missing[] = [];
  for (const one of missing.slice(0, MAX_TRACED)) {
    const state = await stateOf(ask, one);
    if (state === undefined) still.push(one);
    else sum[state] += 1;
  }
  return { ...sum, missing: [...still, ...missing.slice(MAX_TRACED)] };
}

/** The state of a delivery now; undefined while it is missing. */
async function stateOf(ask: Ask, { event, endpoint }: Missing): Promise<keyof DeliveryCounts | undefined> {
  try {
    const { endpoints } = await ask({ operation: 'trace', eventId: event });
    const found = endpoints.find(each => each.endpoint === endpoint);
    return found?.state === 'unknown' && found.isWanted ? undefined : (found?.state ?? 'unknown');
  } catch (error) {
    // Any other refusal, such as a throttled request, shows nothing about the delivery.
    if (error instanceof Refused && error.message === NOT_IN_JOURNAL) return 'unknown';
    throw error;
  }
}
