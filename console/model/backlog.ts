/** How many deliveries waited for an endpoint, in the order of time. */
export type Backlog = readonly Sample[];

export interface Sample {
  /** ms since 1970. */
  readonly at: number;
  readonly waiting: number;
}

const MAX_SAMPLES = 240;

/** Adds a sample. When there are too many, every second one is dropped, so that the whole time stays, in
 *  less detail. */
export function withSample(backlog: Backlog, sample: Sample, most = MAX_SAMPLES): Backlog {
  const thinned = backlog.length < most ? backlog : backlog.filter((_, index) => index % 2 === 0);
  return [...thinned, sample];
}

/** The points of a line in a box of this size: time goes to the right, numbers upwards. */
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

/** The line in words, for people who can't see it. */
export function courseText(backlog: Backlog): string {
  const [first, last] = [backlog[0], backlog.at(-1)];
  if (!first || !last) return 'Nothing is known yet.';
  const most = Math.max(...backlog.map(({ waiting }) => waiting));
  return `${first.waiting} waited when this page was opened, ${most} at most, ${last.waiting} now.`;
}
