/** Orders texts by their UTF-16 code units: the same on every machine, whatever its locale. */
export function byText(left: string, right: string): number {
  if (left < right) return -1;
  return left > right ? 1 : 0;
}
