import type * as z from 'zod';
import { workspaceConfig } from '../../functions/config/workspace.ts';
import { UsageError } from '../../local/basics/usage-error.ts';
import type { Input } from '../context/input.ts';
import type { Draft } from './draft.ts';

/** What was given on the command line. */
export interface Given {
  readonly baseUrl?: string;
  readonly authUrl?: string;
  readonly audience?: string;
  readonly workspace?: string;
  readonly process?: readonly string[];
}

interface Question {
  readonly option: string;
  readonly asks: string;
  readonly schema: z.ZodType;
  /** Taken where nothing is given or typed. */
  readonly usual?: string;
}

const { name, baseUrl, authUrl, audience, processes } = workspaceConfig.shape;

const QUESTIONS = {
  baseUrl: {
    option: '--base-url',
    asks: "The API's address, such as https://api.example.com",
    schema: baseUrl,
  },
  authUrl: {
    option: '--auth-url',
    asks: 'Where tokens come from, such as https://auth.example.com',
    schema: authUrl,
  },
  audience: {
    option: '--audience',
    asks: 'The audience that goes with your credentials',
    schema: audience,
  },
  workspace: {
    option: '--workspace',
    asks: 'A name for the workspace, which its events carry',
    schema: name,
    usual: 'main',
  },
  process: {
    option: '--process',
    asks: 'The ids of the processes to watch, with commas between',
    schema: processes.element.shape.id,
  },
} as const satisfies Record<keyof Given, Question>;

/** What must be known of a service: what was given, and what is typed where somebody can be asked.
 *  @throws UsageError for what is wrong, and where nobody can be asked for all that is missing */
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
    processes: [...new Set(await answer('process'))].map(id => ({ id, settings: [] })),
  };
}

/** A comma at the end stands for nothing. */
function ids(typed: string): string[] {
  const all = typed.split(',').map(id => id.trim());
  return all.length > 1 ? all.filter(id => id !== '') : all;
}

function valuesIn(given: Given, key: string): readonly string[] | undefined {
  const value = given[key as keyof Given];
  return typeof value === 'string' ? [value] : value;
}

/** @throws UsageError that names the option, and does not quote what may be a secret */
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
    .filter(([key, question]) => values[key as keyof Given] === undefined && !('usual' in question))
    .map(([, { option }]) => option);
  if (missing.length > 0)
    throw new UsageError(
      `Nobody is there to be asked: give ${missing.join(', ')} (npx changewire help init).`,
    );
}

/** Asks until the answer is right. Where nobody is there, the usual one is taken. */
async function asked(
  { asks, schema, usual, option }: Question,
  { input, note }: { readonly input: Input; readonly note: (text: string) => void },
): Promise<readonly string[]> {
  if (!input.canAsk) return usual === undefined ? [] : [usual];
  const isList = option === QUESTIONS.process.option;
  for (;;) {
    const typed = (await input.line(`${asks}${usual === undefined ? '' : ` [${usual}]`}`)) || (usual ?? '');
    const values = isList ? ids(typed) : [typed];
    const problem = problemOf(schema, values);
    if (problem === undefined) return values;
    note(`It must be ${problem}.`);
  }
}
