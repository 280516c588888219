import { percentile } from './delivery/given.ts';
import { type Manner, measureIsolation } from './delivery/isolation.ts';
import { type Latency, measureLatency } from './delivery/latency.ts';
import { measureRecovery } from './delivery/recovery.ts';
import { measureRouting } from './delivery/routing.ts';

/**
 * The cost of delivery: routing one event to 1,000 endpoints; an endpoint that comes back with 10,000
 * deliveries in rows; the time from a commit to the first attempt on one machine; and by how much 25
 * endpoints that misbehave slow down 25 others. `npm run bench:delivery`; exit code 1 when a limit is
 * exceeded.
 */
const ENDPOINTS = 1_000;
const ROUTED_WITHIN_MS = 1;
const BACKLOG = { rows: 10_000, perSecond: 100 };
const STREAM = { endpoints: 20, perSecond: 100, seconds: 10 };
const TRIED_WITHIN_MS = 200;
const BESIDE = { seconds: 40, perSecond: 1 };
const AS_SLOW = 2;

const out = (text: string) => process.stdout.write(`${text}\n`);
const missed: string[] = [];
const within = (what: string, found: number, bound: number): string => {
  if (!(found <= bound)) missed.push(what);
  return `(at most ${bound}: ${found <= bound ? 'met' : 'MISSED'})`;
};

const { msPerEvent, wanting } = await measureRouting(ENDPOINTS);
const verdict = within('routing', msPerEvent, ROUTED_WITHIN_MS);
out(
  `routing an event to ${wanting.toFixed(0)} of ${ENDPOINTS} endpoints, processor ms: ${msPerEvent.toFixed(3)} ${verdict}`,
);

const { rows, perSecond } = BACKLOG;
const { seconds, msPerDelivery } = await measureRecovery(rows, perSecond);
const ideal = rows / perSecond;
out(
  `from recovery to an empty backlog of ${rows} at ${perSecond} per second, virtual s: ${seconds.toFixed(0)} ` +
    within('recovery', seconds, Math.round(1.1 * ideal)),
);
out(`  processor ms for each delivery, without HTTP: ${msPerDelivery.toFixed(3)}`);

for (const share of ['one', 'all'] as const) report(share, await measureLatency(STREAM, share));

function report(share: 'one' | 'all', { waits, wanted, processorMs }: Latency): void {
  const [p50, p99] = [percentile(waits, 0.5), percentile(waits, 0.99)];
  const isBounded = share === 'one';
  const bound = isBounded
    ? within(`latency (${share})`, waits.length < wanted ? Number.NaN : p99, TRIED_WITHIN_MS)
    : `(${STREAM.perSecond * STREAM.endpoints} requests a second, without a limit)`;
  out(
    `commit to first attempt at ${STREAM.perSecond} events a second, each wanted by ${share} of ${STREAM.endpoints} endpoints, ms: ` +
      `p50 ${p50.toFixed(0)}, p99 ${p99.toFixed(0)} ${bound}`,
  );
  out(`  ${waits.length} of ${wanted} arrived; processor ms per second: ${processorMs.toFixed(0)}`);
}

const times = (count: number, manner: Manner): Manner[] => Array.from({ length: count }, () => manner);
const healthy = await measureIsolation(times(50, '204'), BESIDE);
// Two of each batch of ten go to endpoints that hang: without isolation, these would soon
// block each run.
const ill = times(5, '204').flatMap(
  () => ['hangs', '204', '500', '204', '429', '204', 'hangs', '204', '500', '204'] as const,
);
const beside = await measureIsolation(ill, BESIDE);
const came = [healthy, beside].every(({ waits, wanted }) => waits.length === wanted);
const [alone, among] = [percentile(healthy.waits, 0.99), percentile(beside.waits, 0.99)];
out(
  'routed to first attempt over an embedded queue without message groups, of 50 endpoints, ms: ' +
    `p99 ${alone.toFixed(0)} when all are healthy, ${among.toFixed(0)} when 10 hang, 10 answer 500 and 5 answer 429; ratio ` +
    `${(among / alone).toFixed(2)} ${within('isolation', came ? among / alone : Number.NaN, AS_SLOW)}`,
);

if (missed.length > 0) {
  out(`Over the limit: ${missed.join(', ')}.`);
  process.exitCode = 1;
}
