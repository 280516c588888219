import type { Size } from './content.ts';
import { type Findings, type Print, rounded } from './line.ts';
import { Measurement } from './measurement.ts';

export interface BaselineScale {
  readonly size: Size;
  /** How long each answer takes, in ms. */
  readonly latency: number;
  /** Requests a second that the service allows, in the measurement of such a bound. */
  readonly rate: number;
}

/** Requests at once, as they were configured by default when the goal was set. */
const BEFORE = 4;

/** How long a baseline takes at a slow service, compared to one with four requests at once. */
export async function measureLatency({ size, latency }: BaselineScale, print: Print): Promise<Findings> {
  await using measurement = new Measurement();
  const { origin, control } = await measurement.service(size);
  await control({ latency });
  const takes = async (concurrency?: number) => {
    print(
      `baseline at ${latency} ms, ${concurrency ? `${concurrency} requests` : 'as many requests as it finds'} at once`,
    );
    const options = {
      origin,
      store: measurement.sqlite(),
      ...(concurrency !== undefined && { concurrency }),
    };
    return (await (await measurement.poller(options)).pass({ mode: 'sweep' })).ms / 1000;
  };
  const [found, four] = [await takes(), await takes(BEFORE)];
  return {
    lines: [
      {
        what: `baseline at ${latency} ms latency ÷ ${BEFORE} requests at once`,
        goal: '≤ 1/3',
        measured: `${rounded(found / four)} (${rounded(found)} s, ${rounded(four)} s)`,
        isMet: found / four <= 1 / 3,
      },
    ],
  };
}

/** Runs until a baseline must be completed: where one fails, the next one resumes it. */
const MAX_RUNS = 5;

/** How much of a service's capacity it uses, where a fixed number of requests a second are answered, and those
 *  beyond get 429. */
export async function measureRate({ size, latency, rate }: BaselineScale, print: Print): Promise<Findings> {
  await using measurement = new Measurement();
  const { origin, control } = await measurement.service(size);
  const poller = await measurement.poller({ origin, store: measurement.sqlite() });
  await control({ latency, rate });
  let failed = 0;
  let isOver = false;
  for (let run = 1; !isOver && run <= MAX_RUNS; run++) {
    print(`baseline at ${rate} requests a second, run ${run}`);
    const taken = await poller.try({ mode: 'sweep' });
    if (taken.failed !== undefined) failed += 1;
    isOver = taken.report?.outcome === 'completed';
  }
  const { served, refused, seconds } = await control({});
  // One second more, because the requests of the first second may come all at once.
  const share = served / (rate * (seconds + 1));
  const unended = isOver ? '' : `, not over after ${MAX_RUNS} runs`;
  return {
    lines: [
      {
        what: `used share of ${rate} requests a second; failed passes`,
        goal: '≥ 0.8; 0',
        measured: `${rounded(share)}; ${failed}${unended} (${refused} answers of 429)`,
        isMet: share >= 0.8 && failed === 0 && isOver,
      },
    ],
  };
}
