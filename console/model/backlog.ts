/** The size of an endpoint's backlog over time. */
export type Backlog = readonly Sample[];

export interface Sample {
  /** ms since 1970. */
  readonly at: number;
  readonly waiting: number;
}

const MAX_SAMPLES = 240;

/** Adds a sample. Beyond the limit, every second sample is dropped, which keeps the whole time in less detail. */
export function withSample(backlog: Backlog, sample: Sample, max = MAX_SAMPLES): Backlog {
  const thinned = backlog.length < max ? backlog : backlog.filter((_, index) => index % 2 === 0);
  return [...thinned, sample];
}

/** The points of an SVG line in a box of this size. */
export function linePoints(backlog: Backlog, { width, height }: { width: number; height: number }): string {
  const [first, last] = [backlog[0], backlog.at(-1)];
  if (!first || !last) return '';
  const max = Math.max(1, ...backlog.map(({ waiting }) => waiting));
  const span = Math.max(1, last.at - first.at);
  const round = (part: number) => Math.round(part * 10) / 10;
  return backlog
    .map(({ at, waiting }) => {
      const x = round(((at - first.at) / span) * width);
      return `${x},${round(height - (waiting / max) * height)}`;
    })
    .join(' ');
}

/** The line in words, for screen readers. */
export function courseText(backlog: Backlog): string {
  const [first, last] = [backlog[0], backlog.at(-1)];
  if (!first || !last) return 'No data yet.';
  const max = Math.max(...backlog.map(({ waiting }) => waiting));
  return `${first.waiting} waiting when this page was opened, at most ${max}, ${last.waiting} now.`;
}
