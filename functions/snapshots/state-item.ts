import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { decode, encode } from './codec.ts';
import { type PassState, type ProcessState, UNKNOWN_PROCESS } from './state.ts';

type Item = Record<string, AttributeValue>;

/** Where a part of the state stands, by how often it moves: in `STATE`, `PASS#changes`, `PASS#sweep`, `PASS#changes#SEEN`. */
export type Row = 'rare' | 'changes' | 'sweep' | 'seen';

/** An item's attributes to be; undefined for what is to be taken away. */
export type Attributes = ReadonlyMap<string, AttributeValue | undefined>;

/** Where each part is, and how it is written: what an operator may want to read stays readable. */
const PARTS: {
  readonly [Name in keyof PassState]: readonly [Row, 'boolean' | 'number' | 'json' | 'zstd'];
} = {
  baselined: ['rare', 'boolean'],
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
  sweptAt: ['sweep', 'number'],
  sweepCompletedAt: ['sweep', 'number'],
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

/** The state in its items; what is in none of them is as for an unknown process. */
export function stateOf(items: readonly (Item | undefined)[]): ProcessState {
  const parts = NAMES.flatMap(name => {
    const value = items.map(item => item?.[name]).find(found => found !== undefined);
    return value === undefined ? [] : [[name, read(value)] as const];
  });
  return { ...UNKNOWN_PROCESS, ...Object.fromEntries(parts) };
}

/** What of `state` is to be written, by row: the two modes write different parts, and neither may undo the other's. */
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
