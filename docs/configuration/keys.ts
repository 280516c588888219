import { z } from 'zod';
import { keyNotes } from '../../functions/config/values.ts';

/** A key of the configuration. */
export interface Key {
  readonly key: string;
  /** `required`, the default as JSON, or undefined where the schema has none. */
  readonly default: string | undefined;
  /** The value without the key, in Markdown, where the schema has no default. */
  readonly otherwise: string | undefined;
  /** Type and range, as the error for any other value has them. */
  readonly allowed: string;
  /** As Markdown; empty where the schema lacks a note. */
  readonly meaning: string;
  /** The choices, of a text or of each text in a list. */
  readonly choices: readonly string[];
}

/** Every object of a schema by its path (`workspaces[].processes[]`; the whole is ``), with its keys in order. */
export function keysOf(schema: z.core.$ZodType, path = ''): Map<string, Key[]> {
  const { bare } = peel(schema);
  if (bare instanceof z.ZodUnion)
    return new Map(bare.options.flatMap(option => [...keysOf(option as z.core.$ZodType, path)]));
  if (bare instanceof z.ZodArray) return keysOf(bare.element as z.core.$ZodType, `${path}[]`);
  if (!(bare instanceof z.ZodObject)) return new Map();
  const entries = Object.entries(bare.shape as Record<string, z.core.$ZodType>);
  const inner = entries.flatMap(([key, value]) => [...keysOf(value, path === '' ? key : `${path}.${key}`)]);
  return new Map([[path, entries.map(([key, value]) => keyOf(key, value))], ...inner]);
}

function keyOf(key: string, schema: z.core.$ZodType): Key {
  const { bare, default: standard } = peel(schema);
  const { meaning = '', otherwise } = keyNotes.get(schema as z.ZodType) ?? {};
  return { key, default: standard, otherwise, allowed: allowedBy(bare), meaning, choices: choicesOf(bare) };
}

function peel(schema: z.core.$ZodType): { bare: z.core.$ZodType; default: string | undefined } {
  if (schema instanceof z.ZodOptional)
    return { ...peel(schema.def.innerType as z.core.$ZodType), default: undefined };
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault)
    return {
      ...peel(schema.def.innerType as z.core.$ZodType),
      default: JSON.stringify(schema.def.defaultValue),
    };
  return { bare: schema, default: 'required' };
}

/** The error for a value that is never valid. */
function allowedBy(schema: z.core.$ZodType): string {
  const own = z.safeParse(schema, Symbol('never valid')).error?.issues[0]?.message ?? '';
  if (!(schema instanceof z.ZodArray)) return own;
  const item = peel(schema.element as z.core.$ZodType).bare;
  return item instanceof z.ZodObject ? own : `${own}; each ${allowedBy(item)}`;
}

function choicesOf(schema: z.core.$ZodType): readonly string[] {
  if (schema instanceof z.ZodArray) return choicesOf(peel(schema.element as z.core.$ZodType).bare);
  return schema instanceof z.ZodEnum ? schema.options.map(String) : [];
}
