import { isEncounter } from './encounters.ts';
import type { Coverage } from './faults.ts';
import type { Plan, Step } from './plan.ts';

type Rows = Coverage['rows'];

/** How often each fault struck at each boundary, or how often another pass committed before each call of a pass. */
export function coverageTable(rows: Rows): string {
  return [...Map.groupBy(rows, ([boundary]) => boundary)]
    .map(([boundary, cells]) => {
      const counts = cells.map(([, fault, count]) => `${fault} ${count}`);
      return `  ${boundary.padEnd(20)}${counts.join(', ')}`;
    })
    .join('\n');
}

/** How often another pass committed between two calls of one. */
export function encounters(rows: Rows): number {
  return rows.reduce((sum, [boundary, , count]) => sum + (isEncounter(boundary) ? count : 0), 0);
}

/** Of how many changes it was told who made them, among those of which the audit log said it in time. */
export function actorsShare(rows: Rows): number {
  const [told, leftOut] = [actorsCount(rows, 'told'), actorsCount(rows, 'left out')];
  return told === 0 ? 0 : told / (told + leftOut);
}

/** The same, in words. Why the others are not counted, the table shows. */
export function actorsText(rows: Rows): string {
  const all = actorsCount(rows, 'told') + actorsCount(rows, 'left out');
  return `Who made a change was told for ${Math.floor(100 * actorsShare(rows))} % of the ${all} changes that the audit log told of.`;
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

/** A plan, one step a line, below which are the parts of a meeting. */
export function planText({ steps, publisher, deliverer, ...rest }: Plan): string {
  return [
    JSON.stringify(rest),
    ...steps.map(stepText),
    `publisher meets ${JSON.stringify(publisher)}`,
    `deliverer meets ${JSON.stringify(deliverer)}`,
  ]
    .map(line => `  ${line}`)
    .join('\n');
}

function stepText({ gap, do: what, ...step }: Step): string {
  const isList = (value: unknown): value is object[] => Array.isArray(value) && typeof value[0] === 'object';
  const entries = Object.entries(step);
  const plain = Object.fromEntries(entries.filter(([, value]) => !isList(value)));
  const listed = entries.flatMap(([name, value]) => (isList(value) ? value.map(one => [name, one]) : []));
  return [
    `after ${(gap / 1000).toFixed(1)} s: ${what} ${JSON.stringify(plain)}`,
    ...listed.map(([name, one]) => `    ${name} ${JSON.stringify(one)}`),
  ].join('\n  ');
}
