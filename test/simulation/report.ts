import type { Coverage } from './faults.ts';
import type { Plan, Step } from './plan.ts';

/** How often each fault struck at each boundary, one boundary a line. */
export function coverageTable(rows: Coverage['rows']): string {
  const lines = Map.groupBy(rows, ([boundary]) => boundary);
  return [...lines]
    .map(([boundary, cells]) => {
      const counts = cells.map(([, fault, count]) => `${fault} ${count}`);
      return `  ${boundary.padEnd(20)}${counts.join(', ')}`;
    })
    .join('\n');
}

/** Those that never struck. */
export function neverStruck(rows: Coverage['rows']): string[] {
  return rows.filter(([, , count]) => count === 0).map(([boundary, fault]) => `${fault} at ${boundary}`);
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
  if (step.do === 'edit') {
    const { edit, a, b, value, audit, touch } = step;
    return `${after}${edit} (${a}, ${b}, ${value})${audit ? '' : ', not audited'}${touch ? '' : ', no update time'}`;
  }
  if (step.do === 'clock') return `${after}poller ${step.poller}'s clock is set by ${step.by / 1000} s`;
  if (step.do === 'date')
    return `${after}the service sends ${step.header ? 'a' : 'no'} Date header from now on`;
  if (step.do === 'restore') return `${after}the table is restored to ${step.back} steps ago, ${step.how}`;
  const strikes = step.strikes.map(
    ({ fault, boundary, nth, times }) => `${fault} at ${boundary} #${nth}${times > 1 ? ` ×${times}` : ''}`,
  );
  const meets = strikes.length > 0 ? `, meets ${strikes.join(', ')}` : '';
  return `${after}${step.mode} run of ${step.budget / 1000} s${meets}`;
}
