/** How much waited for an endpoint, in the order of time. */
export type Backlog = readonly Sample[];

export interface Sample {
  /** ms since 1970. */
  readonly at: number;
  readonly waiting: number;
}

const MOST_SAMPLES = 240;

/** With one more. When there are many, every second one goes: the course of the whole time stays, in less detail. */
export function withSample(backlog: Backlog, sample: Sample, most = MOST_SAMPLES): Backlog {
  const thinned = backlog.length < most ? backlog : backlog.filter((_, index) => index % 2 === 0);
  return [...thinned, sample];
}

/** The points of a line in a box of that size: time to the right, more upwards. */
export function linePoints(backlog: Backlog, { width, height }: { width: number; height: number }): string {
  const [first, last] = [backlog[0], backlog.at(-1)];
  if (!first || !last) return '';
  const most = Math.max(1, ...backlog.map(({ waiting }) => waiting));
  const span = Math.max(1, last.at - first.at);
  const round = (part: number) => Math.round(part * 10) / 10;
  return backlog
    .map(({ at, waiting }) => {
      const x = round(((at - first.at) / span) * width);
      return `${x},${round(height - (waiting / most) * height)}`;
    })
    .join(' ');
}

/** The course in words, for who can't see the line. */
export function courseText(backlog: Backlog): string {
  const [first, last] = [backlog[0], backlog.at(-1)];
  if (!first || !last) return 'Nothing is known yet.';
  const most = Math.max(...backlog.map(({ waiting }) => waiting));
  return `${first.waiting} waited when this page was opened, ${most} at most, ${last.waiting} now.`;
}
