import { parseArgs } from 'node:util';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { pageAddress } from '../local/operate/address.ts';
import { builtPage, createPage, ROOT } from '../local/operate/page.ts';
import { startOperationsServer } from '../local/operate/server.ts';
import { openBrowser } from '../test/kit/browser/browser.ts';
import { loadHistory } from './console/history.ts';
import { growingJournal } from './console/operations.ts';
import { frames, memory, readAll, startFrames, wander } from './console/page.ts';
import { mostWork } from './console/work.ts';

/**
 * The load of the console on a browser: 10,000 events in the live view, and 50 new ones a second for a minute,
 * while a user scrolls and searches; and the history of 5,000 events. Fails when a frame takes longer than 100 ms, the
 * history has more than 3,000 elements, or the page's code has more than 150 KB, compressed (docs/performance.md).
 */
const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '10000' },
    rate: { type: 'string', default: '50' },
    seconds: { type: 'string', default: '60' },
  },
});
const [events, rate, seconds] = [values.events, values.rate, values.seconds].map(Number) as [
  number,
  number,
  number,
];
const MAX_MS = 100;
const MAX_BYTES = 150 * 1024;
const [HISTORY_EVENTS, MAX_ELEMENTS] = [5_000, 3_000];
const out = (what: string, value: string) => process.stdout.write(`${what.padEnd(46)}${value}\n`);
const megabytes = (bytes: number) => `${(bytes / 1024 / 1024).toFixed(1)} MB`;

const files = [...(await builtPage(ROOT)).values()].map(({ body }) => body);
const sizes = [gzipSync, brotliCompressSync].map(compress =>
  files.reduce((sum, body) => sum + compress(body).length, 0),
);
const [gzip = 0, brotli = 0] = sizes;
out("the page's code, gzip; brotli", `${(gzip / 1024).toFixed(1)} KB; ${(brotli / 1024).toFixed(1)} KB`);

const browser = await openBrowser();
if (typeof browser === 'string') throw new Error(browser);
const journal = growingJournal(Date.now);
const server = await startOperationsServer(journal.operations, {
  who: 'bench',
  page: createPage(),
  onError: error => process.stderr.write(`${error}\n`),
});
try {
  const page = await browser.newPage({ viewport: { width: 1600, height: 1000 } });
  journal.add(100);
  await page.goto(pageAddress(server));
  await readAll(page, 100);
  const atFirst = await memory(page);
  await startFrames(page);
  const fillingTask = await mostWork(browser, page, async () => {
    journal.add(events - 100);
    await readAll(page, events);
  });
  const filling = await frames(page);
  const full = await memory(page);
  await startFrames(page);
  const adding = setInterval(() => journal.add(rate / 10), 100);
  await wander(page, seconds * 1000);
  const live = await frames(page);
  const after = await memory(page);
  // Measured apart from the frames, because tracing makes them longer.
  const liveTask = await mostWork(browser, page, () => wander(page, seconds * 250));
  clearInterval(adding);
  const ms = ({ longest, slow, count }: typeof live, task: number) =>
    `${longest.toFixed(0)} ms (${slow} of ${count} over 50 ms), with at most ${task.toFixed(0)} ms of work`;
  out(`longest frame while ${events} events come at once`, ms(filling, fillingTask));
  out(`longest frame, ${rate} new a second for ${seconds} s`, ms(live, liveTask));
  out('script memory: 100 events; all; at the end', [atFirst, full, after].map(megabytes).join('; '));
  const history = await loadHistory(browser, HISTORY_EVENTS);
  out(`history of ${HISTORY_EVENTS} events: first change; all`, `${history.first} ms; ${history.all} ms`);
  out('its elements', history.elements.toLocaleString('en'));
  out('longest frame while it is scrolled', ms(history.scrolling, history.work));
  const isSlow = Math.max(live.longest, history.scrolling.longest) > MAX_MS;
  if (isSlow || gzip > MAX_BYTES || history.elements > MAX_ELEMENTS) process.exitCode = 1;
} finally {
  await browser.close();
  await server.stop();
}
