import { z } from 'zod';

/** A key of the configuration as a reader meets it. */
export interface SchemaKey {
  readonly key: string;
  /** `required`, the default as JSON, or undefined when the key may be left out and has its default
   *  elsewhere. */
  readonly default: string | undefined;
  /** What is allowed, as the error for anything else says it. */
  readonly allowed: string;
}

/** Every object of a schema by its path (`workspaces[].processes[]`; the whole is ``), with its keys in order. */
export function schemaKeys(schema: z.core.$ZodType, path = ''): Map<string, SchemaKey[]> {
  const { bare } = peel(schema);
  if (bare instanceof z.ZodUnion)
    return new Map(bare.options.flatMap(option => [...schemaKeys(option as z.core.$ZodType, path)]));
  if (bare instanceof z.ZodArray) return schemaKeys(bare.element as z.core.$ZodType, `${path}[]`);
  if (!(bare instanceof z.ZodObject)) return new Map();
  const entries = Object.entries(bare.shape as Record<string, z.core.$ZodType>);
  const here = entries.map(([key, value]) => ({
    key,
    default: peel(value).default,
    allowed: allowedBy(peel(value).bare),
  }));
  const inner = entries.flatMap(([key, value]) => [
    ...schemaKeys(value, path === '' ? key : `${path}.${key}`),
  ]);
  return new Map([[path, here], ...inner]);
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

/** What is allowed, from the error for a value that is never right. */
function allowedBy(schema: z.core.$ZodType): string {
  const own = z.safeParse(schema, Symbol('never right')).error?.issues[0]?.message ?? '';
  if (!(schema instanceof z.ZodArray)) return own;
  const item = peel(schema.element as z.core.$ZodType).bare;
  return item instanceof z.ZodObject ? own : `${own}; each ${allowedBy(item)}`;
}
