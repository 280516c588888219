import type { Victim } from './plan.ts';

/** What was under way when something was killed. */
export type Phase = 'start-up' | 'baseline' | 'changes' | 'sweep' | 'shutdown';

/** What a run of kills came to. */
export interface Summary {
  readonly kills: number;
  readonly byVictim: Readonly<Partial<Record<Victim, number>>>;
  readonly byPhase: Readonly<Partial<Record<Phase, number>>>;
  /** Of the writes that were not safe when a machine died, how many were lost. */
  readonly takenBack: { readonly unsafe: number; readonly lost: number };
  readonly edits: Readonly<Record<string, number>>;
  /** Different ones. */
  readonly events: number;
  /** What each receiver took twice or more, by its name. */
  readonly repeated: Readonly<Record<string, number>>;
  /** Deliveries that were refused, and that were not answered. */
  readonly refused: number;
  readonly hung: number;
  /** ms. */
  readonly took: number;
}

/** The summary for people. */
export function tell(summary: Summary): string {
  const { kills, byVictim, byPhase, takenBack, edits, events, repeated } = summary;
  const edited = Object.values(edits).reduce((sum, count) => sum + count, 0);
  return [
    `${kills} kills in ${seconds(summary.took)}: ${counts(byVictim)}`,
    `  during      ${counts(byPhase)}`,
    `  taken back  ${takenBack.lost} of ${takenBack.unsafe} writes that were not on the disk when the machine died`,
    `  edits       ${edited}: ${counts(edits)}`,
    `  events      ${events}, each with one content`,
    `  again       ${counts(repeated)}`,
    `  endpoints   refused ${summary.refused} deliveries, left ${summary.hung} without an answer`,
    'Nothing was lost, nothing invented.',
  ].join('\n');
}

export function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

function counts(all: Readonly<Record<string, number>>): string {
  const parts = Object.entries(all).map(([name, count]) => `${name} ${count}`);
  return parts.length === 0 ? 'none' : parts.join(', ');
}
