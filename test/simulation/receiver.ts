import type { SQSRecord } from 'aws-lambda';
import type { ChangeEvent } from '../../functions/changes/event.ts';
import type { LinkTemplates } from '../../functions/endpoints/chat-links.ts';
import type { EndpointKind, EndpointSettings } from '../../functions/endpoints/endpoint.ts';
import { wants } from '../../functions/endpoints/filter.ts';
import { readSlack } from './chats/read-slack.ts';
import { readTeams } from './chats/read-teams.ts';
import { BatchesOracle, type InHand } from './oracle/batches.ts';
import { ChannelOracle } from './oracle/channel.ts';
import type { DeliveriesOracle } from './oracle/deliveries.ts';
import { idOf, type RowsOracle } from './oracle/rows.ts';
import { SettlingOracle } from './oracle/settling.ts';
import { type Shared, WORKSPACE } from './shared.ts';

export const LINK_TEMPLATES: LinkTemplates = [
  {
    workspace: WORKSPACE,
    project: 'https://app.example.com/{processId}/p/{projectId}',
    task: 'https://app.example.com/p/{projectId}#{taskId}',
  },
];

/** The receiver of an endpoint; it also judges what it gets, and what became of the rest. */
export class Receiver {
  readonly name: string;
  readonly kind: EndpointKind;
  /** As they are now. */
  settings: EndpointSettings;
  readonly #deliveries: DeliveriesOracle;
  readonly #rows: RowsOracle;
  /** For a chat: oracles of its runs over the queue, and over rows. */
  readonly #batches: { readonly queue: BatchesOracle; readonly rows: BatchesOracle };
  /** From now on what was to come for it is dropped. */
  isRemoved = false;
  #source: 'queue' | 'rows' = 'queue';

  constructor(
    { coverage }: Shared,
    settings: EndpointSettings,
    { deliveries, rows }: { deliveries: DeliveriesOracle; rows: RowsOracle },
  ) {
    this.name = settings.name;
    this.kind = settings.kind;
    this.settings = settings;
    this.#deliveries = deliveries;
    this.#rows = rows;
    const read = this.kind === 'slack' ? readSlack : readTeams;
    const channel = new ChannelOracle(this.name, read, LINK_TEMPLATES, coverage);
    const batches = () => new BatchesOracle(this.name, channel.read, this.#isSafe);
    this.#batches = { queue: batches(), rows: batches() };
  }

  /** A run begins with these messages of the queue. @returns the oracle of their outcome */
  begin(records: readonly SQSRecord[]): SettlingOracle {
    this.#source = 'queue';
    this.#batches.queue.begin(records);
    return new SettlingOracle(records, this.#isSafe);
  }

  /** A run has these rows. */
  beginRows(rows: readonly InHand[]): void {
    this.#source = 'rows';
    this.#batches.rows.begin(rows);
  }

  /** The run is over. `isFree`: nothing went wrong in it, and it had time. */
  ends(again: ReadonlySet<string>, isFree: boolean): void {
    if (this.kind !== 'webhook') this.#batches.queue.end(again, isFree);
  }

  took(body: string, now: number): void {
    const told = this.kind === 'webhook' ? [{ body }] : this.#batches[this.#source].took(body, now);
    for (const record of told) this.#deliveries.got(this.name, record.body);
  }

  /** Its answer arrived. */
  heard(body: string, status: number, now: number): void {
    if (this.kind !== 'webhook') this.#batches[this.#source].heard(body, status, now);
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
