import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { decode, encode } from './codec.ts';
import { type PassState, type ProcessState, UNKNOWN_PROCESS } from './state.ts';

type Item = Record<string, AttributeValue>;

/** The row in which a part of the state is kept: `STATE`, `PASS#changes`, `PASS#sweep` or
 *  `PASS#changes#SEEN`, in this order. */
export type Row = 'rare' | 'changes' | 'sweep' | 'seen';

/** The attributes that an update sets; it removes those that are undefined. */
export type Attributes = ReadonlyMap<string, AttributeValue | undefined>;

/** The row and the encoding of each part. Nothing is compressed that an operator may want to read. */
const PARTS: {
  readonly [Name in keyof PassState]: readonly [Row, 'boolean' | 'number' | 'json' | 'zstd'];
} = {
  baselined: ['rare', 'boolean'],
  baselinedAt: ['rare', 'number'],
  definitions: ['rare', 'zstd'],
  hold: ['rare', 'json'],
  released: ['rare', 'boolean'],
  stalled: ['rare', 'json'],
  reported: ['rare', 'json'],
  announced: ['rare', 'number'],
  watermark: ['changes', 'number'],
  completedAt: ['changes', 'number'],
  pace: ['changes', 'json'],
  skipped: ['changes', 'number'],
  changesFailure: ['changes', 'json'],
  sweptAt: ['sweep', 'number'],
  sweepCompletedAt: ['sweep', 'number'],
  sweepFailure: ['sweep', 'json'],
  audit: ['seen', 'zstd'],
  recent: ['seen', 'zstd'],
};

const NAMES = Object.keys(PARTS) as (keyof PassState)[];

/** The parts that stand in this row. */
export const partsIn = (row: Row): (keyof PassState)[] => NAMES.filter(name => PARTS[name][0] === row);

/** How many rows it takes to write these parts. */
export function rowsOf(state: Partial<PassState>): number {
  return new Set(NAMES.filter(name => name in state).map(name => PARTS[name][0])).size;
}

/** Reads the state from its items. A part that is in none of them is as in UNKNOWN_PROCESS. */
export function stateOf(items: readonly (Item | undefined)[]): ProcessState {
  const parts = NAMES.flatMap(name => {
    const value = items.map(item => item?.[name]).find(found => found !== undefined);
    return value === undefined ? [] : [[name, read(value)] as const];
  });
  return { ...UNKNOWN_PROCESS, ...Object.fromEntries(parts) };
}

/** The attributes to write for `state`, by row. Only parts that are in `state`: the two modes write different
 *  ones, and neither may overwrite the other's. */
export function attributesOf(state: Partial<PassState>): Map<Row, Attributes> {
  const rows = Map.groupBy(
    NAMES.filter(name => name in state),
    name => PARTS[name][0],
  );
  const attribute = (name: keyof PassState) =>
    [name, state[name] === undefined ? undefined : write(name, state[name])] as const;
  return new Map([...rows].map(([row, names]) => [row, new Map(names.map(attribute))]));
}

/** The update that sets just these attributes. */
export function updateOf(attributes: Attributes) {
  const set = [...attributes].flatMap(([name, value]) => (value ? [[name, value] as const] : []));
  const removed = [...attributes].flatMap(([name, value]) => (value ? [] : [name]));
  const expressions = [
    set.length > 0 ? `SET ${set.map(([name]) => `#${name} = :${name}`).join(', ')}` : '',
    removed.length > 0 ? `REMOVE ${removed.map(name => `#${name}`).join(', ')}` : '',
  ];
  return {
    UpdateExpression: expressions.join(' ').trim(),
    ExpressionAttributeNames: Object.fromEntries([...attributes.keys()].map(name => [`#${name}`, name])),
    ...(set.length > 0 && {
      ExpressionAttributeValues: Object.fromEntries(set.map(([name, value]) => [`:${name}`, value])),
    }),
  };
}

function write(name: keyof PassState, value: unknown): AttributeValue {
  switch (PARTS[name][1]) {
    case 'boolean':
      return { BOOL: value === true };
    case 'number':
      return { N: String(value) };
    case 'json':
      return { S: JSON.stringify(value) };
    case 'zstd':
      return { B: encode(value) };
  }
}

function read(value: AttributeValue): unknown {
  if (value.BOOL !== undefined) return value.BOOL;
  if (value.N !== undefined) return Number(value.N);
  return value.S !== undefined ? JSON.parse(value.S) : decode(value.B as Uint8Array);
}
