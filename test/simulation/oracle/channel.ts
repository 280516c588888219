import type { LinkTemplates } from '../../../functions/model/endpoint.ts';
import type { ChangeEvent } from '../../../functions/model/event.ts';
import type { Shown } from '../../kit/delivery/shown.ts';
import { floodFault, isSummary } from '../chats/check-flood.ts';
import { tellsFolded, tellsGroup } from '../chats/check-message.ts';
import { foldPlaces, isGathered } from '../chats/fold.ts';
import type { Coverage } from '../faults.ts';
import type { InHand, Reader, Taken } from './batches.ts';
import { idOf } from './rows.ts';
import { Violation } from './violation.ts';
import { eventOf, gatheredIn } from './windows.ts';

/** Judges what people see in a channel: each message is about one project, one process's fields or one
 *  `source.*` event, tells all such events of its batch rightly, and counts what it does not show. */
export class ChannelOracle {
  readonly #name: string;
  readonly #look: (body: string) => Shown;
  readonly #templates: LinkTemplates;
  readonly #coverage: Coverage;
  /** For each event, with how many others it was last told. */
  readonly #told = new Map<string, number>();

  constructor(name: string, look: (body: string) => Shown, templates: LinkTemplates, coverage: Coverage) {
    this.#name = name;
    this.#look = look;
    this.#templates = templates;
    this.#coverage = coverage;
  }

  /** Whether the records are rows of which changes are gathered. */
  isGathering = false;

  readonly read: Reader = (body, records, taken) => {
    const shown = this.#look(body);
    const faults: string[] = [];
    if (!this.isGathering) return this.#readAll(shown, body, records, taken, faults);
    const told = new Set(taken.flatMap(one => one.records));
    const untold = records.filter(record => !told.has(record));
    const open = untold.filter(({ isLater }) => !isLater);
    const alone = open.filter(record => record.isReplay || !isGathered(eventOf(record)));
    // A replay may look like what was gathered: then it is one. A probe has one delivery that is due later.
    const retried = open.filter(record => alone.includes(record) || record.isTried);
    const probes = untold.filter(({ isLater }) => isLater).map(record => [record]);
    for (const some of [alone, undefined, retried, ...probes]) {
      const read = some
        ? this.#tryToRead(shown, body, some, faults)
        : this.#readGathered(shown, open, faults);
      if (read && some === alone) this.#coverage.add('chat', 'problem or replay beside gathered changes');
      if (read) return read;
    }
    throw new Violation(
      2,
      `${this.#name} is shown neither what was gathered nor others:\n  ${faults.join('\n  ')}\n  ${body}`,
    );
  };

  #tryToRead(
    shown: Shown,
    body: string,
    records: readonly InHand[],
    faults: string[],
  ): readonly InHand[] | undefined {
    try {
      return this.#readAll(shown, body, records, [], faults);
    } catch (error) {
      if (error instanceof Violation) return undefined;
      throw error;
    }
  }

  /** What was gathered: all changes of a place, or all of them, each from its first value to its last. */
  #readGathered(shown: Shown, open: readonly InHand[], faults: string[]): readonly InHand[] | undefined {
    const gathered = gatheredIn(open);
    const all = foldPlaces(gathered.map(eventOf));
    const inMessage = (ids: ReadonlySet<string>) =>
      open.filter(({ body, isReplay }) => !isReplay && ids.has(idOf(body)));
    if (isSummary(shown)) {
      const fault = floodFault(shown, all.events, this.#templates, all);
      if (fault !== undefined) return void faults.push(`a summary of what was gathered: ${fault}`);
      this.#coverage.add('chat', 'gathered summary');
      return inMessage(new Set(gathered.map(({ body }) => idOf(body))));
    }
    for (const place of all.places.filter(({ events }) => events.length > 0)) {
      const told = tellsFolded(shown, place, this.#templates);
      if (typeof told !== 'string') {
        this.#coverage.add('chat', 'gathered message');
        return inMessage(new Set(place.of.map(({ id }) => id)));
      }
      faults.push(`${place.of.map(({ id }) => id).join(', ')}: ${told}`);
    }
    return undefined;
  }

  #readAll(
    shown: Shown,
    body: string,
    records: readonly InHand[],
    taken: readonly Taken[],
    faults: string[],
  ): readonly InHand[] {
    if (isSummary(shown)) {
      const letters = lettersOf(records, taken);
      const events = [...new Map(letters.map(({ event }) => [event.id, event])).values()];
      const fault = floodFault(shown, events, this.#templates);
      if (fault === undefined) {
        this.#coverage.add('chat', `${this.#name} summary`);
        return letters.map(({ record }) => record);
      }
      faults.push(`a summary: ${fault}`);
    }
    for (const group of groupsOf(records, taken)) {
      for (const events of eventSets(group)) {
        const told = tellsGroup(shown, events, this.#templates);
        if (typeof told === 'string') faults.push(`${events.map(({ id }) => id).join(', ')}: ${told}`);
        else {
          this.#count(events, told.left);
          return group.map(({ record }) => record);
        }
      }
    }
    const why = faults.length > 0 ? `:\n  ${faults.join('\n  ')}` : '';
    throw new Violation(2, `${this.#name} is shown what tells no events of its batch${why}\n  ${body}`);
  }

  #count(events: readonly ChangeEvent[], left: number): void {
    this.#coverage.add('chat', `${this.#name} message`);
    if (events.length > 1) this.#coverage.add('chat', 'several events');
    if (left > 0) this.#coverage.add('chat', 'changes left out');
    if (events.some(({ id }) => this.#told.has(id))) this.#coverage.add('chat', 'told again');
    if (events.some(({ id }) => (this.#told.get(id) ?? events.length) !== events.length))
      this.#coverage.add('chat', 'told again with others');
    for (const { id } of events) this.#told.set(id, events.length);
  }
}

/** More sets than this are not tried: few entries are told again at once. */
const MAX_SETS = 64;

interface Letter {
  readonly record: InHand;
  readonly event: ChangeEvent;
}

/** The events of a group, each id once. An audit entry that a restored table told again may come with another content under the same id
 *  (docs/decisions/0114): which of them is shown depends on the order in which they came, so there is a set for each choice. */
function eventSets(group: readonly Letter[]): ChangeEvent[][] {
  const versions = [...Map.groupBy(group, ({ event }) => event.id).values()].map(same => [
    ...new Map(same.map(({ record, event }) => [record.body, event])).values(),
  ]);
  return versions.reduce<ChangeEvent[][]>(
    (sets, choices) =>
      (sets.length > MAX_SETS ? choices.slice(-1) : choices).flatMap(event =>
        sets.map(set => [...set, event]),
      ),
    [[]],
  );
}

/** The groups of events that a message may tell, as far as they were not told in this run: the oldest first,
 *  as they are sent, because messages of two groups may have the same text. */
function groupsOf(records: readonly InHand[], taken: readonly Taken[]): Letter[][] {
  const letters = lettersOf(records, taken).toSorted(
    (one, other) => Number(one.event.sequence) - Number(other.event.sequence),
  );
  return [...Map.groupBy(letters, ({ event }) => placeOf(event)).values()];
}

function lettersOf(records: readonly InHand[], taken: readonly Taken[]): Letter[] {
  const told = new Set(taken.flatMap(one => one.records));
  return records
    .filter(record => !told.has(record))
    .map(record => ({ record, event: JSON.parse(record.body) as ChangeEvent }));
}

function placeOf({ type, source, data, id }: ChangeEvent): string {
  if (type.startsWith('source.')) return id;
  if (type === 'audit.recorded') return JSON.stringify([source, 'audit', 'log']);
  return 'project' in data ? JSON.stringify([source, data.project.id]) : source;
}
