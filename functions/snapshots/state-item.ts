import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { decode, encode } from './codec.ts';
import { type ProcessState, UNKNOWN_PROCESS } from './state.ts';

type Item = Record<string, AttributeValue>;

/** How each part of the state is written: what an operator may want to read stays readable. */
const FORMATS: Record<keyof ProcessState, 'boolean' | 'number' | 'json' | 'zstd'> = {
  baselined: 'boolean',
  watermark: 'number',
  sweptAt: 'number',
  audit: 'json',
  definitions: 'zstd',
  recent: 'zstd',
  missing: 'json',
  held: 'json',
  released: 'boolean',
  completedAt: 'number',
  sweepCompletedAt: 'number',
  stalled: 'json',
  skipped: 'json',
  reported: 'json',
  announced: 'number',
  pace: 'json',
};

const NAMES = Object.keys(FORMATS) as (keyof ProcessState)[];

/** The state in an item; what is not in it is as for an unknown process. */
export function stateOf(item: Item | undefined): ProcessState {
  const parts = NAMES.flatMap(name => {
    const value = item?.[name];
    return value === undefined ? [] : [[name, read(value)] as const];
  });
  return { ...UNKNOWN_PROCESS, ...Object.fromEntries(parts) };
}

/** The parts in `state` as attributes of its item; undefined for what is to be taken away. */
export function attributesOf(
  state: Partial<ProcessState>,
): Map<keyof ProcessState, AttributeValue | undefined> {
  const names = NAMES.filter(name => name in state);
  return new Map(
    names.map(name => [name, state[name] === undefined ? undefined : write(name, state[name])] as const),
  );
}

/** The update that sets just these attributes: the two modes write different parts of one item, and neither may undo the
 *  other's. */
export function stateUpdate(attributes: ReadonlyMap<keyof ProcessState, AttributeValue | undefined>) {
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

function write(name: keyof ProcessState, value: unknown): AttributeValue {
  switch (FORMATS[name]) {
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
