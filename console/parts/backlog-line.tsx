import { type Backlog, courseText, linePoints } from '../model/backlog.ts';

/** A line of the backlog since the page was opened. */
export function BacklogLine({
  backlog,
  width,
  height,
}: {
  readonly backlog: Backlog;
  readonly width: number;
  readonly height: number;
}) {
  if (backlog.length < 2) return null;
  const points = linePoints(backlog, { width, height });
  return (
    <svg
      class="backlog-line"
      viewBox={`-1 -2 ${width + 2} ${height + 4}`}
      width={width}
      height={height}
      preserveAspectRatio="none"
      role="img"
      aria-label={courseText(backlog)}
    >
      <polygon class="backlog-ground" points={`0,${height} ${points} ${width},${height}`} />
      <polyline class="backlog-stroke" points={points} />
    </svg>
  );
}
