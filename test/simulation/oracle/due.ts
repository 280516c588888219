import type { DynamoDBRecord } from 'aws-lambda';
import type { Due, DueRule, KnownRules } from '../../../functions/model/due.ts';
import type { ChangeEvent, DueEvent } from '../../../functions/model/event.ts';
import type { ProjectContent } from '../../../functions/model/snapshot.ts';
import { MAX_DUE_EVENTS } from '../../../functions/pass/due.ts';
import { decodeContent } from '../../../functions/store/codec.ts';
import { PROJECT_PREFIX, TIMER, timerIn } from '../../../functions/store/keys.ts';
import { PlainDue, type PlainRule, type PlainValue } from '../../kit/changes/plain-due.ts';
import type { Coverage } from '../faults.ts';
import type { Plan } from '../plan.ts';
import { Violation } from './violation.ts';

/** The status that the rule with a condition asks for. */
export const MET = 'State 1';

/** The rules of which a plan has some. */
export const DUE_RULES: readonly DueRule[] = [
  { event: 'task.due', field: 'dueDate', before: '10m' },
  { event: 'task.overdue', field: 'dueDate' },
  { event: 'task.overdue', field: 'dueDate', where: [{ status: { in: [MET] } }] },
  { event: 'project.due', field: 'startDate', before: '1d' },
  { event: 'project.overdue', field: 'startDate' },
  { event: 'project.unchanged', after: '20m' },
];

export function rulesOf({ rules }: Pick<Plan, 'rules'>): readonly DueRule[] {
  return rules ? DUE_RULES.filter((_, index) => (rules.mask >> index) & 1) : [];
}

/** A project as it was last committed. */
interface Project {
  readonly model: PlainDue;
  readonly due: Due | undefined;
}

/** Judges the events of rules: each value of a record is emitted in the commit in which it must be, once, and the rows
 *  of timers are those that the snapshots name. */
export class DueOracle {
  readonly #rules: readonly DueRule[];
  readonly #coverage: Coverage;
  #known: KnownRules | undefined;
  readonly #projects = new Map<string, Project>();
  readonly #timers = new Set<string>();

  /** @param rules those of the process; none: nothing may be emitted */
  constructor(rules: readonly DueRule[], coverage: Coverage) {
    this.#rules = rules;
    this.#coverage = coverage;
  }

  /** Told of one write of the process, and of its events. `isSilent`: there is no baseline yet. */
  wrote(records: readonly DynamoDBRecord[], events: readonly ChangeEvent[], isSilent: boolean): void {
    for (const { dynamodb } of records) {
      if (dynamodb?.Keys?.sk?.S === 'STATE') this.#known = knownIn(dynamodb.NewImage);
      const sk = dynamodb?.Keys?.sk?.S ?? '';
      if (!sk.startsWith(TIMER)) continue;
      if (dynamodb?.NewImage) this.#timers.add(sk);
      else this.#timers.delete(sk);
    }
    const touched = records.filter(isProject).map(record => this.#take(record, events, isSilent));
    for (const event of events.filter(isDue)) {
      const { id } = event.data.project;
      if (!touched.includes(id)) throw new Violation(2, `${event.id} is emitted without a snapshot`);
    }
    for (const id of touched) this.#checkTimer(id);
  }

  /** A restored table is as it was: what is emitted follows from that. */
  restored(records: readonly DynamoDBRecord[]): void {
    this.#projects.clear();
    this.#timers.clear();
    for (const { dynamodb } of records) {
      const sk = dynamodb?.Keys?.sk?.S ?? '';
      if (sk.startsWith(TIMER)) this.#timers.add(sk);
      if (sk === 'STATE') this.#known = knownIn(dynamodb?.NewImage);
    }
    for (const record of records.filter(isProject)) {
      const { content, due } = contentOf(record);
      const model = new PlainDue();
      model.restore(content, Number(record.dynamodb?.NewImage?.version?.N), due, this.#appliedBy(due));
      this.#projects.set(idOf(record), { model, due });
    }
  }

  /** To be asked after a pass that was completed: what was due before it began must be decided. */
  checkTold(began: number): void {
    if (this.#rules.length === 0) return;
    for (const [id, { model, due }] of this.#projects) {
      const timeZone = this.#known?.timeZone ?? 'UTC';
      const [known, lacking] = this.#current(due);
      const [forgotten] = model.open(lacking, timeZone);
      if (forgotten) throw new Violation(1, `project ${id} lacks the rule of ${inWords(forgotten)}`);
      const [first] = model.open(known, timeZone);
      if (first && first.at <= began)
        throw new Violation(1, `${inWords(first)} of project ${id} is due, but was not emitted`);
      if (first && due?.next !== first.at)
        throw new Violation(1, `${inWords(first)} of project ${id} has no timer`);
    }
  }

  /** When the next value falls due, in ms since 1970. */
  get next(): number {
    return Math.min(...[...this.#timers].map(sk => timerIn(sk).at));
  }

  #take(record: DynamoDBRecord, events: readonly ChangeEvent[], isSilent: boolean): string {
    const id = idOf(record);
    const own = events.filter(isDue).filter(({ data }) => data.project.id === id);
    const isChanged = events.some(event => isOfProject(event, id) && !isDue(event));
    if (!record.dynamodb?.NewImage) {
      if (own.length > 0) throw new Violation(2, `${own[0]?.id} is of a deleted project`);
      this.#projects.delete(id);
      return id;
    }
    const { content, due } = contentOf(record);
    const version = Number(record.dynamodb.NewImage.version?.N);
    const model = this.#projects.get(id)?.model ?? new PlainDue();
    const commit = { content, rules: this.#appliedBy(due), timeZone: due?.timeZone ?? 'UTC' };
    const { expected, next } = model.commit({
      ...{ ...commit, at: due?.until ?? version, isChanged, wasThere: isSilent },
      updated: ({ updatedAt }) => Date.parse(String(updatedAt)),
      limit: isSilent ? 0 : MAX_DUE_EVENTS,
      meets: ({ status }) => status === MET,
    });
    model.version = version;
    this.#projects.set(id, { model, due });
    const [told, wanted] = [own.map(eventInWords), expected.map(inWords)];
    if (JSON.stringify(told) !== JSON.stringify(wanted))
      throw new Violation(
        2,
        `the commit ${version} of project ${id} emits [${told.join('; ')}], and should emit [${wanted.join('; ')}]`,
      );
    if (due?.next !== next)
      throw new Violation(1, `project ${id} has its next time at ${due?.next}, and should at ${next}`);
    for (const { type } of own) this.#coverage.add('due', type);
    return id;
  }

  /** The rules as the snapshot was committed by them. */
  #appliedBy(due: Due | undefined): PlainRule[] {
    return (due?.rules ?? []).map(key => {
      const [hash = '', seenAt = ''] = key.split('-');
      const index = this.#known?.rules.findIndex(([known]) => known === hash) ?? -1;
      const rule = this.#rules[index];
      if (!rule) throw new Violation(2, `a snapshot has the rule ${key}, which the process does not have`);
      return { ...rule, key, begin: Number(seenAt) };
    });
  }

  /** The rules that the process has now: those that the snapshot has, and those that it lacks. */
  #current(due: Due | undefined): [PlainRule[], PlainRule[]] {
    const all = (this.#known?.rules ?? []).flatMap(([hash, seenAt], index) => {
      const rule = this.#rules[index];
      return rule ? [{ ...rule, key: `${hash}-${seenAt}`, begin: seenAt }] : [];
    });
    const has = ({ key }: PlainRule) => due?.rules.includes(key) === true;
    return [all.filter(has), all.filter(rule => !has(rule))];
  }

  #checkTimer(id: string): void {
    const rows = [...this.#timers].map(timerIn).filter(({ projectId }) => projectId === id);
    const next = this.#projects.get(id)?.due?.next;
    const isRight = next === undefined ? rows.length === 0 : rows.length === 1 && rows[0]?.at === next;
    if (!isRight)
      throw new Violation(
        1,
        `project ${id} has timers at ${rows.map(({ at }) => at).join(', ')}, its snapshot at ${next}`,
      );
  }
}

function isDue(event: ChangeEvent): event is DueEvent {
  return 'dueAt' in event.data;
}

function isOfProject({ data }: ChangeEvent, id: string): boolean {
  return 'project' in data && data.project.id === id && !('reason' in data);
}

function inWords({ rule, record, value, at }: PlainValue): string {
  return [rule.event, rule.before ?? rule.after ?? '', record, value, new Date(at).toISOString()].join(' ');
}

function eventInWords({ type, data }: DueEvent): string {
  const { before, after = '' } = data.rule;
  const record = 'task' in data ? data.task.id : '';
  return [type, before ?? after, record, 'value' in data ? data.value : data.since, data.dueAt].join(' ');
}

function isProject({ dynamodb }: DynamoDBRecord): boolean {
  const sk = dynamodb?.Keys?.sk?.S ?? '';
  return sk.startsWith(PROJECT_PREFIX) && !sk.includes('#PART#');
}

function idOf({ dynamodb }: DynamoDBRecord): string {
  return decodeURIComponent((dynamodb?.Keys?.sk?.S ?? '').slice(PROJECT_PREFIX.length));
}

function contentOf({ dynamodb }: DynamoDBRecord): { content: ProjectContent; due?: Due | undefined } {
  return decodeContent(Buffer.from(String(dynamodb?.NewImage?.blob?.B), 'base64'));
}

function knownIn(image: { readonly rules?: { readonly S?: string | undefined } } | undefined) {
  const text = image?.rules?.S;
  return text === undefined ? undefined : (JSON.parse(text) as KnownRules);
}
