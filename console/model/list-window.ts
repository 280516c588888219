/** The rows of a long list to render: the visible ones and some around them. All rows have the same height. */
export interface ListWindow {
  readonly first: number;
  /** The row after the last one. */
  readonly end: number;
}

interface Sight {
  readonly scrollTop: number;
  readonly height: number;
  readonly rowHeight: number;
  readonly count: number;
}

const AROUND = 8;

export function listWindow({ scrollTop, height, rowHeight, count }: Sight, around = AROUND): ListWindow {
  const top = Math.floor(Math.max(0, scrollTop) / rowHeight);
  const end = Math.min(count, Math.ceil((Math.max(0, scrollTop) + height) / rowHeight) + around);
  return { first: Math.max(0, Math.min(top - around, end)), end };
}
