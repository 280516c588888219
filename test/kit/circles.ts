export interface Step {
  readonly from: string;
  readonly to: string;
}

/** The circles that these steps make, each as the set of places that lead to one another (Tarjan's
 *  strongly connected components). A step from a place to itself does not count. */
export function circlesOf(steps: readonly Step[]): string[][] {
  const next = Map.groupBy(steps, ({ from }) => from);
  const order = new Map<string, number>();
  const open: string[] = [];
  const circles: string[][] = [];

  /** Walks on from `place`. @returns the earliest open place that is reached from there */
  const walk = (place: string): number => {
    const own = order.size;
    order.set(place, own);
    open.push(place);
    let earliest = own;
    for (const { to } of next.get(place) ?? []) {
      const known = order.get(to);
      if (known === undefined) earliest = Math.min(earliest, walk(to));
      else if (open.includes(to)) earliest = Math.min(earliest, known);
    }
    if (earliest === own) {
      const circle = open.splice(open.indexOf(place));
      if (circle.length > 1) circles.push(circle.sort());
    }
    return earliest;
  };

  for (const place of next.keys()) if (!order.has(place)) walk(place);
  return circles;
}
