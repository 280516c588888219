/** Which rows of a long list of equal heights are drawn: those in sight, and some around them. */
export interface ListWindow {
  readonly first: number;
  /** The one after the last. */
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

/** Where to scroll so that a row is wholly in sight, if it is not. */
export function scrollTo(index: number, { scrollTop, height, rowHeight }: Omit<Sight, 'count'>): number {
  const top = index * rowHeight;
  if (top < scrollTop) return top;
  return top + rowHeight > scrollTop + height ? top + rowHeight - height : scrollTop;
}
