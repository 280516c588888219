import { type Item, PRICES, type Price } from './prices.ts';

/** How much of each item a month takes. */
export type Usage = Readonly<Record<Item, number>>;

export interface Line {
  readonly item: Item;
  readonly service: string;
  readonly unit: string;
  readonly units: number;
  /** Dollars, after what is always free, and before. */
  readonly dollars: number;
  readonly withoutFree: number;
}

/** Dollars for a number of units. Free units are taken off the first tier, which is the dearest. */
export function dollarsOf({ per, tiers }: Pick<Price, 'per' | 'tiers'>, units: number, free = 0): number {
  let [begin, dollars] = [0, 0];
  for (const { upTo = Number.POSITIVE_INFINITY, dollars: price } of tiers) {
    const charged = Math.max(0, Math.min(units, upTo) - Math.max(begin, free));
    dollars += (charged / per) * price;
    begin = upTo;
  }
  return dollars;
}

/** The bill of a month. */
export function billOf(usage: Usage): Line[] {
  return (Object.keys(PRICES) as Item[]).map(item => {
    const price: Price = PRICES[item];
    const units = usage[item];
    return {
      item,
      service: price.service,
      unit: price.unit,
      units,
      dollars: dollarsOf(price, units, price.free),
      withoutFree: dollarsOf(price, units),
    };
  });
}

export interface Total {
  readonly dollars: number;
  readonly withoutFree: number;
}

/** The sums by service, the dearest first; several items may belong to one service. */
export function byService(lines: readonly Line[]): (Total & { readonly service: string })[] {
  const services = [...new Set(lines.map(({ service }) => service))];
  return services
    .map(service => ({ service, ...totalOf(lines.filter(line => line.service === service)) }))
    .toSorted((one, other) => other.withoutFree - one.withoutFree);
}

export function totalOf(lines: readonly Line[]): Total {
  return {
    dollars: lines.reduce((sum, { dollars }) => sum + dollars, 0),
    withoutFree: lines.reduce((sum, { withoutFree }) => sum + withoutFree, 0),
  };
}
