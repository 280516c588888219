import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ChangeEvent } from '../../functions/model/event.ts';
import { verifyProcess } from '../../functions/operations/verify/walk.ts';
import { openStoredOperations } from '../../local/operate/operations.ts';
import { between, pick, seededRandom } from '../../simulator/data/random.ts';
import { environmentOf } from '../kit/local/run.ts';
import { committedEvents, deadRows, sweepCompletedAt } from '../kit/store-file.ts';
import { type DeliveryResult, Disk, resultOf } from './disk/disk.ts';
import { watchLibrary } from './disk/on-disk.ts';
import { Life } from './life.ts';
import type { Victim } from './plan.ts';
import {
  Contents,
  Received,
  type Receiver,
  SECRET,
  startRawReceiver,
  startWebhookReceiver,
} from './receivers.ts';
import { type ServiceSide, startServiceSide } from './service-side.ts';
import { verdict } from './verdict.ts';

interface Parts {
  readonly directory: string;
  readonly rhythm: readonly string[];
  readonly side: ServiceSide;
  readonly raw: Receiver;
  readonly webhook: Receiver;
  readonly sent: Contents;
  readonly disk: Disk | string;
  readonly result: DeliveryResult;
}

const DATA = '.changewire';
const [BEFORE_CUT, AFTER_CUT] = ['before-cut', 'after-cut'];
/** Files that one call under way may leave otherwise than the log has them: a renaming has two. */
const UNDER_WAY = 2;

/** What outlives every kill: the service, the endpoints and the data directory. One life at a time runs in it. */
export class Setup {
  readonly side: ServiceSide;
  readonly raw: Receiver;
  readonly webhook: Receiver;
  readonly data: Data;
  /** How often the lives look, as options of the command line. */
  readonly rhythm: readonly string[];
  /** What machines that died took back. */
  readonly takenBack = { unsafe: 0, lost: 0 };
  /** What is wrong with what the disk was seen to do. */
  readonly #blind: string[] = [];
  readonly #disk: Disk | string;
  readonly #result: DeliveryResult;
  readonly #directory: string;
  /** What came over HTTP: byte for byte the same, whoever got it. */
  readonly #sent: Contents;
  /** What is printed was parsed and put together again: its properties have another order. */
  readonly #printed = new Contents();
  readonly #terminal = new Received('the terminal', this.#printed);
  /** The one that runs, or that ended last. */
  life: Life | undefined;

  private constructor(parts: Parts) {
    this.side = parts.side;
    this.raw = parts.raw;
    this.webhook = parts.webhook;
    this.rhythm = parts.rhythm;
    this.data = new Data(join(parts.directory, DATA));
    this.#directory = parts.directory;
    this.#sent = parts.sent;
    this.#disk = parts.disk;
    this.#result = parts.result;
  }

  static async start(seed: number): Promise<Setup> {
    const sent = new Contents();
    const side = await startServiceSide(seed + 1, () => setup.life?.asked());
    const directory = realpathSync(mkdtempSync(join(tmpdir(), 'changewire-crash-')));
    const library = watchLibrary(directory);
    const setup = new Setup({
      directory,
      disk:
        'path' in library
          ? new Disk(join(directory, DATA), join(directory, 'disk.log'), library.path)
          : library.lacks,
      result: resultOf(seededRandom(seed + 5)),
      rhythm: rhythmOf(seed + 2),
      side,
      raw: await startRawReceiver(sent, seededRandom(seed + 3)),
      webhook: await startWebhookReceiver(sent, seededRandom(seed + 4)),
      sent,
    });
    return setup;
  }

  /** Starts a run that watches these processes. @param more options of the command line */
  live(processes: readonly string[], ...more: string[]): Life {
    for (const watched of this.side.watched) watched.newLife(processes);
    const endpoints = ['--subscribe', this.raw.url, '--raw', '--webhook', this.webhook.url];
    const args = [...endpoints, '--webhook-secret', SECRET, ...this.rhythm, ...more];
    const environment = { ...environmentOf(this.side.service), SERVICE_PROCESSES: processes.join(',') };
    const watching = typeof this.#disk === 'string' ? {} : this.#disk.environment;
    this.life = new Life(this.#directory, args, { ...environment, ...watching }, this.#terminal);
    return this.life;
  }

  get receivers(): readonly Received[] {
    return [this.raw.received, this.webhook.received, this.#terminal];
  }

  /** When the process was last swept to its end, in ms since 1970. */
  sweptAt(processId: string): number {
    return this.data.sweptAt(this.#workspace, processId);
  }

  /** Why no machine can die here; undefined when it can. */
  get lacks(): string | undefined {
    return typeof this.#disk === 'string' ? this.#disk : undefined;
  }

  /** The process is dead; if the machine is, it takes writes back. */
  die(victim: Victim): void {
    if (typeof this.#disk === 'string') return;
    const unseen = this.#disk.settle();
    if (unseen.length > UNDER_WAY)
      this.#blind.push(`${unseen.length} files changed otherwise than it was seen`);
    if (victim === 'process') return;
    this.#disk.copy(join(this.#directory, BEFORE_CUT));
    const { unsafe, lost } = this.#disk.cut(this.#result);
    this.takenBack.unsafe += unsafe;
    this.takenBack.lost += lost;
    this.#checkUndone(this.#disk, unseen);
  }

  /** What was delivered is on the disk. Later it could not be seen any more why it is not.
   *  @throws Error that names the events that are not */
  #checkUndone(disk: Disk, unseen: readonly string[]): void {
    // A copy: whoever opens the store makes files beside it, which no log would have.
    const copy = join(this.#directory, AFTER_CUT);
    disk.copy(copy);
    const kept = new Set(new Data(copy).committed.map(({ id }) => id));
    const undone = this.receivers.flatMap(({ name, events }) =>
      events.filter(({ id }) => !kept.has(id)).map(({ id }) => `${id} (${name})`),
    );
    if (undone.length === 0) return;
    const files = unseen.length === 0 ? 'none' : unseen.join(', ');
    throw new Error(
      `The power cut undid events that were delivered: ${undone.join(', ')}. Files that changed without being logged: ${files}. ` +
        `The directory before and after it is in ${BEFORE_CUT} and ${AFTER_CUT}.`,
    );
  }

  /** What is wrong with what was told, in words. No life may run. */
  judge(): string[] {
    const { watched } = this.side;
    const { committed } = this.data;
    return [
      ...this.#blind,
      ...this.raw.problems,
      ...this.webhook.problems,
      ...this.data.givenUp,
      ...(committed.length === 0 ? ['Nothing was told at all: no life was long enough.'] : []),
      ...verdict({
        watched,
        contents: [this.#sent, this.#printed],
        receivers: this.receivers,
        committed,
      }),
    ];
  }

  /** Ends whatever is still there. @param keep leaves the data directory, to be looked at */
  async close(keep: boolean): Promise<void> {
    await this.life?.kill();
    await Promise.all([this.side.stop(), this.raw.stop(), this.webhook.stop()]);
    if (!keep) rmSync(this.#directory, { recursive: true, force: true });
  }

  /** As the local run names it. */
  get #workspace(): string {
    return new URL(this.side.service.baseUrl).host.replaceAll(/[^A-Za-z0-9]/g, '-');
  }
}

function rhythmOf(seed: number): string[] {
  const random = seededRandom(seed);
  return [
    ...['--interval', `${between(random, 50, 250)}ms`],
    ...['--sweep-interval', `${between(random, 800, 2000)}ms`],
    ...['--overlap', pick(random, ['500ms', '5s', '120s'])],
  ];
}

/** What a run keeps in its data directory, as far as this test looks into it. */
export class Data {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /** When the process was last swept, in ms since 1970; 0 before the first time. */
  sweptAt(workspace: string, processId: string): number {
    return sweepCompletedAt(this.path, { workspace, processId });
  }

  /** Every event that was committed. */
  get committed(): ChangeEvent[] {
    return committedEvents(this.path);
  }

  /** What `changewire verify` finds of a process. */
  async verify(process: string): Promise<string[]> {
    const { operations, close } = await openStoredOperations(this.path, () => undefined);
    try {
      const caller = { who: 'test', isProven: true };
      const { isBaselined, unsettled, mismatches } = await verifyProcess(asked => operations(asked, caller), {
        process,
      });
      if (!isBaselined || unsettled > 0) return [`${process} cannot be verified`];
      return mismatches.map(one => `Verify finds of ${process}: ${JSON.stringify(one)}`);
    } finally {
      close();
    }
  }

  /** What was given up or rejected: nothing may be. */
  get givenUp(): string[] {
    const rejected = join(this.path, 'rejected.jsonl');
    const lines = existsSync(rejected) ? readFileSync(rejected, 'utf8').split('\n').filter(Boolean) : [];
    return [
      ...deadRows(this.path).map(row => `It was given up: ${JSON.stringify(row).slice(0, 500)}`),
      ...lines.map(line => `It was rejected: ${line.slice(0, 500)}`),
    ];
  }
}
