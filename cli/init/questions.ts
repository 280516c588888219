import type * as z from 'zod';
import { workspaceConfig } from '../../functions/config/workspace.ts';
import { UsageError } from '../../local/basics/usage-error.ts';
import type { Input } from '../context/input.ts';
import type { Draft } from './draft.ts';

/** Options of the command line. */
export interface Given {
  readonly baseUrl?: string;
  readonly authUrl?: string;
  readonly audience?: string;
  readonly workspace?: string;
  readonly process?: readonly string[];
}

interface Question {
  readonly option: string;
  readonly prompt: string;
  readonly schema: z.ZodType;
  /** The default. */
  readonly defaultValue?: string;
}

const { name, baseUrl, authUrl, audience, processes } = workspaceConfig.shape;

const QUESTIONS = {
  baseUrl: {
    option: '--base-url',
    prompt: 'URL of the API, such as https://api.example.com',
    schema: baseUrl,
  },
  authUrl: {
    option: '--auth-url',
    prompt: 'Token URL (auth server), such as https://auth.example.com',
    schema: authUrl,
  },
  audience: {
    option: '--audience',
    prompt: 'OAuth audience of your credentials',
    schema: audience,
  },
  workspace: {
    option: '--workspace',
    prompt: 'Workspace name, which is part of events',
    schema: name,
    defaultValue: 'main',
  },
  process: {
    option: '--process',
    prompt: 'Comma-separated ids of the processes to watch',
    schema: processes.element.shape.id,
  },
} as const satisfies Record<keyof Given, Question>;

/** The answers from options and prompts.
 *  @throws UsageError for an invalid option, and without a terminal for a missing one */
export async function answersTo(
  given: Given,
  { input, note }: { readonly input: Input; readonly note: (text: string) => void },
): Promise<Draft> {
  const values = Object.fromEntries(
    Object.entries(QUESTIONS).map(([key, question]) => [key, checked(question, valuesIn(given, key))]),
  ) as Record<keyof Given, readonly string[] | undefined>;
  if (!input.canAsk) refuseMissing(values);
  const answer = async (key: keyof Given) => values[key] ?? (await asked(QUESTIONS[key], { input, note }));
  const one = async (key: keyof Given) => (await answer(key))[0] ?? '';
  return {
    ...{ baseUrl: await one('baseUrl'), authUrl: await one('authUrl'), audience: await one('audience') },
    name: await one('workspace'),
    settings: [],
    processes: drafted(await answer('process')),
  };
}

/** Prompts for these answers again; Enter keeps one. */
export async function answersAgain(
  draft: Draft,
  keys: readonly (keyof Given)[],
  prompts: { readonly input: Input; readonly note: (text: string) => void },
): Promise<Draft> {
  const given: Given = { ...draft, process: draft.processes.map(({ id }) => id) };
  const typed: Partial<Record<keyof Given, readonly string[]>> = {};
  for (const key of keys) {
    const defaultValue = valuesIn(given, key)?.join(', ') ?? '';
    typed[key] = await asked({ ...QUESTIONS[key], defaultValue }, prompts);
  }
  const { process, ...texts } = typed;
  return {
    ...draft,
    ...Object.fromEntries(Object.entries(texts).map(([key, [text]]) => [key, text])),
    ...(process && { processes: drafted(process) }),
  };
}

const drafted = (ids: readonly string[]): Draft['processes'] =>
  [...new Set(ids)].map(id => ({ id, settings: [] }));

/** A trailing comma is ignored. */
function ids(typed: string): string[] {
  const all = typed.split(',').map(id => id.trim());
  return all.length > 1 ? all.filter(id => id !== '') : all;
}

function valuesIn(given: Given, key: string): readonly string[] | undefined {
  const value = given[key as keyof Given];
  return typeof value === 'string' ? [value] : value;
}

/** @throws UsageError with the option, but without its value, which may be a secret */
function checked({ option, schema }: Question, values: readonly string[] | undefined) {
  const problem = values && problemOf(schema, values);
  if (problem !== undefined) throw new UsageError(`${option} must be ${problem}.`);
  return values;
}

function problemOf(schema: z.ZodType, values: readonly string[]): string | undefined {
  const [first] = values.map(value => schema.safeParse(value)).filter(({ success }) => !success);
  return first?.error?.issues[0]?.message;
}

function refuseMissing(values: Record<keyof Given, readonly string[] | undefined>): void {
  const missing = Object.entries(QUESTIONS)
    .filter(([key, question]) => values[key as keyof Given] === undefined && !('defaultValue' in question))
    .map(([, { option }]) => option);
  if (missing.length > 0)
    throw new UsageError(`No terminal to prompt on. Use ${missing.join(', ')} (npx changewire help init).`);
}

/** Prompts until the answer is valid. Without a terminal, uses the default. */
async function asked(
  { prompt, schema, defaultValue, option }: Question,
  { input, note }: { readonly input: Input; readonly note: (text: string) => void },
): Promise<readonly string[]> {
  if (!input.canAsk) return defaultValue === undefined ? [] : [defaultValue];
  const isList = option === QUESTIONS.process.option;
  for (;;) {
    const typed =
      (await input.line(`${prompt}${defaultValue === undefined ? '' : ` [${defaultValue}]`}`)) ||
      (defaultValue ?? '');
    const values = isList ? ids(typed) : [typed];
    const problem = problemOf(schema, values);
    if (problem === undefined) return values;
    note(`It must be ${problem}.`);
  }
}
