import type * as z from 'zod';
import type { Json } from '../basics/json.ts';
import { nearest } from '../basics/nearest.ts';
import { isTooDeep } from '../basics/nesting.ts';
import type { Caller, Operations } from './operations.ts';
import type { Reply } from './protocol/reply.ts';
import { type Operation, type Request, request } from './protocol/requests.ts';
import { Refused } from './refused.ts';

/** Filters, which nest deepest, need some ten. */
const MOST_LEVELS = 64;

/** Answers a request that came over a wire.
 *  @throws unexpected errors: the caller then only says that something is wrong here */
export async function answerRequest(operations: Operations, asked: unknown, caller: Caller): Promise<Reply> {
  try {
    return {
      answer: (await operations(readRequest(asked), caller)) as Extract<Reply, { answer: unknown }>['answer'],
    };
  } catch (error) {
    if (error instanceof Refused) return { refused: error.message, isUsage: error.isUsage };
    throw error;
  }
}

/** @throws Refused that names each wrong key and what is allowed. It doesn't quote what was sent, which may
 *  be a secret in the wrong place */
export function readRequest(asked: unknown): Request {
  if (isTooDeep(asked as Json, MOST_LEVELS))
    throw new Refused(`A request has at most ${MOST_LEVELS} levels of nesting.`, { isUsage: true });
  const parsed = request.safeParse(asked);
  if (parsed.success) return parsed.data;
  const wrong = parsed.error.issues.map(issue => told(issue, asked));
  throw new Refused(wrong.join('\n'), { isUsage: true });
}

function told(issue: z.core.$ZodIssue, asked: unknown): string {
  const operation = operationOf(asked);
  if (issue.code === 'invalid_union' && operation === undefined) return unknownOperation(asked);
  if (issue.code === 'unrecognized_keys') return unknownKeys(issue.keys, operation);
  const at = issue.path.join('.');
  return at === '' ? 'A request is a JSON object with an operation.' : `${at}: ${lowerFirst(issue.message)}`;
}

function unknownKeys(keys: readonly string[], operation: Operation | undefined): string {
  const allowed = Object.keys(SHAPES.get(operation ?? '') ?? {}).filter(key => key !== 'operation');
  const meant = keys.flatMap(key => nearest(key, allowed) ?? []);
  const hint = meant.length > 0 ? ` Did you mean ${meant.join(', ')}?` : '';
  const what = keys.length === 1 ? 'a key that is unknown here' : `${keys.length} keys that are unknown here`;
  const keysThatAre = allowed.length > 0 ? `it takes ${allowed.join(', ')}` : 'it takes no other key';
  return `${operation ?? 'The request'} has ${what}: ${keysThatAre}.${hint}`;
}

function unknownOperation(asked: unknown): string {
  const typed = (asked as { operation?: unknown } | null)?.operation;
  const meant = typeof typed === 'string' ? nearest(typed, [...SHAPES.keys()]) : undefined;
  return `operation: one of ${[...SHAPES.keys()].join(', ')}.${meant ? ` Did you mean ${meant}?` : ''}`;
}

function operationOf(asked: unknown): Operation | undefined {
  const typed = (asked as { operation?: unknown } | null)?.operation;
  return typeof typed === 'string' && SHAPES.has(typed) ? (typed as Operation) : undefined;
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

const SHAPES: ReadonlyMap<string, object> = new Map(
  request.options.map(({ shape }) => [shape.operation.value, shape]),
);
