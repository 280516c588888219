import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { decode, encode } from '../codec.ts';
import { type PassState, type ProcessState, STATE_ROWS, type StateRow, UNKNOWN_PROCESS } from '../state.ts';

type Item = Record<string, AttributeValue>;

/** The attributes that an update sets; it removes those that are undefined. */
export type Attributes = ReadonlyMap<string, AttributeValue | undefined>;

/** The encoding of each part. Nothing is compressed that an operator may want to read. */
const ENCODINGS: {
  readonly [Name in keyof PassState]: 'boolean' | 'number' | 'json' | 'zstd';
} = {
  baselined: 'boolean',
  baselinedAt: 'number',
  definitions: 'zstd',
  hold: 'json',
  released: 'boolean',
  stalled: 'json',
  reported: 'json',
  announced: 'number',
  watermark: 'number',
  completedAt: 'number',
  pace: 'json',
  skipped: 'number',
  changesFailure: 'json',
  sweptAt: 'number',
  sweepCompletedAt: 'number',
  sweepFailure: 'json',
  audit: 'zstd',
  recent: 'zstd',
};

const NAMES = Object.keys(STATE_ROWS) as (keyof PassState)[];

/** The parts that stand in this row. */
export const partsIn = (row: StateRow): (keyof PassState)[] => NAMES.filter(name => STATE_ROWS[name] === row);

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
export function attributesOf(state: Partial<PassState>): Map<StateRow, Attributes> {
  const rows = Map.groupBy(
    NAMES.filter(name => name in state),
    name => STATE_ROWS[name],
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
  switch (ENCODINGS[name]) {
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
