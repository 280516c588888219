import { z } from 'zod';
import { nearest } from './nearest.ts';

type Path = readonly PropertyKey[];

/** `changewire.workspaces[0].processes[1].id`: the path as one would write it. */
export function pathText(path: Path): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`;
    const key = String(step);
    return /^[A-Za-z_$][\w$]*$/.test(key) ? `${text}.${key}` : `${text}[${JSON.stringify(key)}]`;
  }, 'changewire');
}

/** What zod found wrong, one line each: the path, what was found, what is allowed. */
export function problems(schema: z.core.$ZodType, error: z.ZodError, input: unknown): string[] {
  return error.issues.flatMap(issue =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map(key => unknownKey(schema, issue.path, key, input))
      : [`${pathText(issue.path)}: found ${found(input, issue.path)}; allowed: ${issue.message}`],
  );
}

function unknownKey(schema: z.core.$ZodType, parent: Path, key: string, input: unknown): string {
  const path = [...parent, key];
  const known = keysAt(schema, parent);
  const close = nearest(key, known);
  const hint = close === undefined ? '' : `; did you mean "${close}"?`;
  return `${pathText(path)}: unknown key, found ${found(input, path)}; allowed here: ${known.join(', ')}${hint}`;
}

/** The value at `path` as JSON, shortened: a misplaced value may be long. */
function found(input: unknown, path: Path): string {
  const value = path.reduce<unknown>(
    (here, step) =>
      typeof here === 'object' && here !== null && Object.hasOwn(here, step)
        ? (here as Record<PropertyKey, unknown>)[step]
        : undefined,
    input,
  );
  const json = JSON.stringify(value) ?? 'nothing';
  return json.length > 80 ? `${json.slice(0, 77)}...` : json;
}

/** The keys that the schema allows at `path`. */
function keysAt(schema: z.core.$ZodType, path: Path): string[] {
  const target = path.reduce<z.core.$ZodType | undefined>((here, step) => {
    const bare = here && unwrap(here);
    if (bare instanceof z.ZodObject) return bare.shape[String(step)];
    return bare instanceof z.ZodArray ? (bare.element as z.core.$ZodType) : undefined;
  }, schema);
  const bare = target && unwrap(target);
  return bare instanceof z.ZodObject ? Object.keys(bare.shape) : [];
}

function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  const wrapped =
    schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault;
  return wrapped ? unwrap(schema.def.innerType as z.core.$ZodType) : schema;
}
