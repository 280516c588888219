import { isEncounter } from './encounters.ts';
import type { Coverage } from './faults.ts';
import type { Edit, MeetStep, Plan, Run, Step } from './plan.ts';

type Rows = Coverage['rows'];

/** How often each fault struck at each boundary, one boundary a line. */
export function coverageTable(rows: Rows): string {
  return table(rows.filter(([boundary]) => !isEncounter(boundary)));
}

/** Between which two calls of one pass another one committed, and how often. */
export function encounterTable(rows: Rows): string {
  const met = rows.filter(([boundary]) => isEncounter(boundary));
  return `Another pass committed ${encounters(rows)} times between two calls of one:\n${table(met)}`;
}

/** How often another pass committed between two calls of one. */
export function encounters(rows: Rows): number {
  return rows.reduce((sum, [boundary, , count]) => sum + (isEncounter(boundary) ? count : 0), 0);
}

function table(rows: Rows): string {
  const lines = Map.groupBy(rows, ([boundary]) => boundary);
  return [...lines]
    .map(([boundary, cells]) => {
      const counts = cells.map(([, fault, count]) => `${fault} ${count}`);
      return `  ${boundary.padEnd(20)}${counts.join(', ')}`;
    })
    .join('\n');
}

/** Of how many changes it was told who made them, among those of which the audit log said it in time. */
export function actorsShare(rows: Rows): number {
  const [told, leftOut] = [actorsCount(rows, 'told'), actorsCount(rows, 'left out')];
  return told === 0 ? 0 : told / (told + leftOut);
}

/** The same, in words. */
export function actorsText(rows: Rows): string {
  const all = actorsCount(rows, 'told') + actorsCount(rows, 'left out');
  return (
    `Who made a change was told for ${Math.floor(100 * actorsShare(rows))} % of the ${all} changes that the audit log told of. ` +
    `Of ${actorsCount(rows, 'too close to tell')} more it told within a second of a reading, of ` +
    `${actorsCount(rows, 'read by an earlier pass')} an earlier pass had read, for ${actorsCount(rows, 'users unread')} the users ` +
    `could not be read, in ${actorsCount(rows, 'somebody unknown had a part')} somebody unknown had a part, ` +
    `${actorsCount(rows, 'owed a look before')} were of projects that earlier passes could not look at, and ` +
    `${actorsCount(rows, 'with its project')} of tasks that came or went with their project.`
  );
}

function actorsCount(rows: Rows, what: string): number {
  return rows.find(([boundary, of]) => boundary === 'actors' && of === what)?.[2] ?? 0;
}

/** Those that never struck. Who made a change may be told each time. */
export function neverStruck(rows: Rows): string[] {
  return rows
    .filter(([boundary, , count]) => count === 0 && !isEncounter(boundary) && boundary !== 'actors')
    .map(([boundary, fault]) => `${fault} at ${boundary}`);
}

/** Two calls between which no other pass ever committed. */
export function neverMet(rows: Rows): string[] {
  return rows
    .filter(([boundary, , count]) => count === 0 && isEncounter(boundary))
    .map(([boundary, call]) => `${boundary}, before ${call}`);
}

/** A plan, one step a line. */
export function planText({ steps, publisher, deliverer, ...rest }: Plan): string {
  return [
    `  ${JSON.stringify(rest)}`,
    ...steps.map(step => `  ${stepText(step)}`),
    ...(publisher.flat().length > 0 ? [`  publisher meets ${JSON.stringify(publisher)}`] : []),
    ...(deliverer.flat().length > 0 ? [`  deliverer meets ${JSON.stringify(deliverer)}`] : []),
  ].join('\n');
}

function stepText(step: Step): string {
  const after = `after ${(step.gap / 1000).toFixed(1)} s: `;
  if (step.do === 'edit') return `${after}${editText(step)}`;
  if (step.do === 'run') return `${after}${runText(step)}`;
  if (step.do === 'meet') return `${after}${meetingText(step)}`;
  if (step.do === 'clock') return `${after}poller ${step.poller}'s clock is set by ${step.by / 1000} s`;
  if (step.do === 'date')
    return `${after}the service sends ${step.header ? 'a' : 'no'} Date header from now on`;
  if (step.do === 'operate') return `${after}endpoint ${step.which}: ${step.act}`;
  if (step.do === 'schedule') return `${after}tick starts ${step.isOn ? '' : 'no more '}passes`;
  if (step.do === 'wait') return `${after}nothing else happens`;
  if (step.do === 'ask') return `${after}an operator asks for a ${step.mode} pass`;
  return `${after}the table is restored to ${step.back} steps ago, ${step.how}`;
}

function meetingText({ walkers, changes, edits, pace, isClose }: MeetStep): string {
  return [
    `a ${isClose ? 'close ' : ''}meeting, a call each ${pace} ms, of`,
    ...walkers.map(walker => `    ${runText(walker)}`),
    ...changes.map(
      ({ at, frozen }) => `    at ${at}: priorities change${frozen ? `, frozen for ${frozen / 1000} s` : ''}`,
    ),
    ...edits.map(edit => `    at ${edit.at}: ${editText(edit)}`),
  ].join('\n  ');
}

function runText({ strikes, mode, budget, asked = true, also = 0 }: Run): string {
  const struck = strikes.map(
    ({ fault, boundary, nth, times }) => `${fault} at ${boundary} #${nth}${times > 1 ? ` ×${times}` : ''}`,
  );
  const meets = struck.length > 0 ? `, meets ${struck.join(', ')}` : '';
  const how = `${asked ? '' : ', which nobody asked for'}${also > 0 ? `, with others (${also})` : ''}`;
  return `${mode} run of ${budget / 1000} s${how}${meets}`;
}

function editText({ in: where = 0, edit, a, b, value, by, audit, touch }: Edit): string {
  const editors = by.length === 0 ? 'the system' : by.join(' and ');
  return `${edit}${where > 0 ? ` in process ${where}` : ''} (${a}, ${b}, ${value}) by ${editors}${audit ? '' : ', not audited'}${touch ? '' : ', no update time'}`;
}
