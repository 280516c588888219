import { serialise } from '../../functions/changes/fit-event.ts';
import type { EndpointSettings, LinkTemplates } from '../../functions/model/endpoint.ts';
import type { ChangeEvent } from '../../functions/model/event.ts';
import { wants } from '../../functions/model/filter.ts';
import type { EndpointKind } from '../../functions/model/kinds.ts';
import { hasWindow } from '../../functions/model/windows.ts';
import { readSlack, readSlackApp } from '../kit/delivery/read-slack.ts';
import { readTeams } from '../kit/delivery/read-teams.ts';
import type { Coverage } from './faults.ts';
import { BatchesOracle, type InHand, SettlingOracle } from './oracle/batches.ts';
import { ChannelOracle } from './oracle/channel.ts';
import type { DeliveriesOracle } from './oracle/deliveries.ts';
import { idOf, type RowsOracle } from './oracle/rows.ts';
import { Violation } from './oracle/violation.ts';
import { WindowOracle } from './oracle/windows.ts';
import { type Shared, WORKSPACE } from './shared.ts';

export const LINK_TEMPLATES: LinkTemplates = [
  {
    workspace: WORKSPACE,
    project: 'https://app.example.com/{processId}/p/{projectId}',
    task: 'https://app.example.com/p/{projectId}#{taskId}',
  },
];

/** What one process has in hand for a chat: oracles of its runs over the queue, and over rows. */
interface Hands {
  readonly queue: BatchesOracle;
  readonly rows: BatchesOracle;
  source: 'queue' | 'rows';
  /** The rows were read to tell what was gathered of them. */
  isGathering: boolean;
  inHand: readonly InHand[];
}

const READERS: { readonly [Kind in EndpointKind]?: typeof readSlack } = {
  slack: readSlack,
  'slack-app': readSlackApp,
};
/** That of the Slack app. */
export const CHANNEL = '#launches';

/** The events of a request to a webhook, each as it was published. */
export function bodiesOf(body: string): string[] {
  return body.startsWith('[') ? (JSON.parse(body) as object[]).map(serialise) : [body];
}

/** The receiver of an endpoint; it also judges what it gets, and what became of the rest. */
export class Receiver {
  readonly name: string;
  readonly kind: EndpointKind;
  /** As they are now. */
  settings: EndpointSettings;
  readonly #coverage: Coverage;
  readonly #deliveries: DeliveriesOracle;
  readonly #rows: RowsOracle;
  readonly #batches: () => BatchesOracle;
  readonly #hands = new WeakMap<object, Hands>();
  /** Only of a chat that gathers changes. */
  readonly #window: WindowOracle | undefined;
  readonly #channel: ChannelOracle;
  /** Of a Slack app: the project of each message that may begin a thread. */
  readonly #threads = new Map<string, string | undefined>();
  #ts = '';
  /** From now on what was to come for it is dropped. */
  isRemoved = false;

  constructor(
    { coverage }: Shared,
    settings: EndpointSettings,
    { deliveries, rows }: { deliveries: DeliveriesOracle; rows: RowsOracle },
  ) {
    this.name = settings.name;
    this.kind = settings.kind;
    this.settings = settings;
    this.#coverage = coverage;
    this.#deliveries = deliveries;
    this.#rows = rows;
    const read = READERS[this.kind] ?? readTeams;
    const channel = new ChannelOracle(this.name, read, LINK_TEMPLATES, coverage);
    this.#channel = channel;
    this.#window = hasWindow(settings) ? new WindowOracle(this.name, settings) : undefined;
    this.#batches = () => new BatchesOracle(this.name, channel.read, this.#isSafe);
  }

  /** A run of the process `by` begins with these messages of the queue. @returns the oracle of their outcome */
  begin(by: object, records: readonly InHand[]): SettlingOracle {
    const hands = this.#handsOf(by);
    hands.source = 'queue';
    hands.isGathering = false;
    hands.inHand = records;
    hands.queue.begin(records);
    return new SettlingOracle(records, this.#isSafe);
  }

  /** A run has these rows. `isMany`: it reads them page by page. */
  beginRows(by: object, rows: readonly InHand[], now: number, isMany = false): void {
    const hands = this.#handsOf(by);
    const due = rows.filter(({ isLater }) => !isLater);
    hands.source = 'rows';
    hands.isGathering = isMany && this.#window !== undefined;
    hands.inHand = due;
    if (hands.isGathering) this.#window?.reads(due, now);
    hands.rows.begin(hands.isGathering ? rows : due);
  }

  /** From when on it may get a change of now. */
  opensAt(now: number): number {
    return this.#window?.opensAt(now) ?? now;
  }

  /** Whether a run sends rows now, not messages of the queue. */
  sendsRows(by: object): boolean {
    return this.#handsOf(by).source === 'rows';
  }

  /** The run is over. `isFree`: nothing went wrong in it, and it had time. */
  ends(by: object, again: ReadonlySet<string>, isFree: boolean): void {
    if (this.kind !== 'webhook') this.#handsOf(by).queue.end(again, isFree);
  }

  took(by: object, body: string, now: number): void {
    const told = this.kind === 'webhook' ? bodiesOf(body) : this.#bodiesTold(by, body, now);
    if (body.startsWith('['))
      this.#coverage.add('webhook batch', told.length > 1 ? 'several events' : 'one event');
    for (const one of told) this.#deliveries.got(this.name, one);
  }

  #bodiesTold(by: object, body: string, now: number): string[] {
    const { isGathering, inHand } = this.#handsOf(by);
    this.#channel.isGathering = isGathering;
    const told = this.#inHand(by).took(body, now);
    this.#window?.told(by, told, isGathering ? inHand : [], now);
    const bodies = told.map(record => record.body);
    if (this.kind === 'slack-app') this.#noteThread(body, bodies);
    return bodies;
  }

  /** Whether the event left its row because what it tells went back. Then it counts as told. */
  tookBack(id: string): boolean {
    const body = this.#window?.takenBack(id);
    if (body === undefined) return false;
    this.#coverage.add('chat', 'changes taken back');
    this.#deliveries.got(this.name, body);
    return true;
  }

  /** A run is over, whether or not it served this endpoint. */
  endsWindow(by: object, isFree: boolean): void {
    this.#window?.ends(by, isFree);
  }

  /** The table was restored. */
  forgetWindow(): void {
    this.#window?.forget();
  }

  /** A reply is about the same project as the message that began its thread. */
  #noteThread(body: string, told: readonly string[]): void {
    const { thread_ts: thread, reply_broadcast: isBroadcast = false } = JSON.parse(body);
    const [project, ...others] = new Set(told.map(projectOf));
    const hasOne = others.length === 0 && project !== undefined;
    if (thread === undefined ? isBroadcast : !hasOne || this.#threads.get(thread) !== project)
      throw new Violation(2, `${this.name} got a reply in the thread of another project:\n  ${body}`);
    if (thread !== undefined) this.#coverage.add('chat', 'reply in a thread');
    this.#ts = `1700000000.${this.#threads.size + 1}`;
    this.#threads.set(this.#ts, thread === undefined && hasOne ? project : undefined);
  }

  /** Its answer to what it took last. */
  get answer(): string {
    return this.kind === 'slack-app'
      ? JSON.stringify({ ok: true, channel: 'C0123ABCD', ts: this.#ts })
      : 'ok';
  }

  /** Its answer arrived. */
  heard(by: object, body: string, status: number, now: number): void {
    if (this.kind !== 'webhook') this.#inHand(by).heard(body, status, now);
  }

  #inHand(by: object): BatchesOracle {
    const hands = this.#handsOf(by);
    return hands[hands.source];
  }

  #handsOf(by: object): Hands {
    const hands = this.#hands.get(by) ?? {
      ...{ queue: this.#batches(), rows: this.#batches(), source: 'queue' as const },
      ...{ isGathering: false, inHand: [] },
    };
    this.#hands.set(by, hands);
    return hands;
  }

  /** Whether its present settings exclude this event, or it was removed. */
  isUnwanted(body: string): boolean {
    return this.isRemoved || !wants(this.settings.filter ?? {}, JSON.parse(body) as ChangeEvent);
  }

  readonly #isSafe = (body: string): boolean =>
    this.isUnwanted(body) ||
    this.#deliveries.has(this.name, idOf(body)) ||
    this.#rows.holds(this.name, idOf(body));
}

function projectOf(body: string): string | undefined {
  const { type, source, data } = JSON.parse(body) as ChangeEvent;
  const isOfProject = /^(project|task)\./.test(type) && 'project' in data;
  return isOfProject ? JSON.stringify([source, data.project.id]) : undefined;
}
