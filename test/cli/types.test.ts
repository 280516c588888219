import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { typesText } from '../../cli/show/types.ts';
import type { AnswerOf } from '../../functions/operations/protocol/answers.ts';
import { ANY_CHARACTER } from '../kit/any-character.ts';
import { run } from '../kit/cli/world.ts';
import { temporaryDirectory } from '../kit/temporary.ts';

type Definitions = AnswerOf<'definitions'>;

const field = (externalId: string, type: string, options?: string[], name = externalId) => ({
  ...{ externalId, name, type, archived: false },
  ...(options && { options }),
});
const PHASES = ['Plan', 'Build'];
const DEFINITIONS: Definitions = {
  ...{ workspace: 'eu', process: 'onboarding' },
  project: [field('budget', 'number', undefined, 'Budget'), field('phase', 'single-choice', PHASES)],
  task: [
    field('Due date', 'date'),
    field('Note', 'text'),
    field('risk-level', 'single-choice', ['Low', 'High']),
    field('Involved teams', 'multiple-choice', ['Sales', 'Legal']),
    { ...field('formula', 'formula'), archived: true },
  ],
};

/** What the compiler prints about a receiver beside the types. */
function compiled(types: string, receiver: string): string {
  const directory = temporaryDirectory();
  const root = join(import.meta.dirname, '../..');
  writeFileSync(join(directory, 'types.ts'), types);
  const imported = receiver.replace('changewire-events', join(root, 'receiver/event.ts'));
  writeFileSync(join(directory, 'receiver.ts'), imported);
  const compilerOptions = {
    ...{ strict: true, noEmit: true, exactOptionalPropertyTypes: true, types: [] },
    ...{ target: 'es2023', module: 'nodenext', allowImportingTsExtensions: true },
  };
  writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  return spawnSync(process.execPath, [compiler, '-p', directory], { encoding: 'utf8' }).stdout;
}

describe('the types of a process', () => {
  it('have each field with its name, and its choices as a union', async () => {
    const answers = { definitions: DEFINITIONS };
    const { out, code, asked } = await run(['types', 'onboarding'], { answers });
    expect([code, asked]).toEqual([0, [{ operation: 'definitions', process: 'onboarding' }]]);
    expect(out).toBe(`// The fields of process onboarding in workspace eu: changewire types.
/** A project. */
export interface Project {
  /** Budget (number) */
  budget?: string;
  /** phase (single-choice) */
  phase?: "Plan" | "Build" | "";
}

/** A task. */
export interface Task {
  /** Due date (date) */
  dueDate?: string;
  /** Note (text) */
  note?: string;
  /** risk-level (single-choice) */
  "risk-level"?: "Low" | "High" | "";
  /** Involved teams (multiple-choice) */
  involvedTeams?: ("Sales" | "Legal")[];
  /** formula (formula, archived) */
  formula?: unknown;
}

/** For \`ChangeEvent<Types>\`, \`verify<Types>\` and \`consume<Types>\` of changewire-events. */
export interface Types {
  project: Project;
  task: Task;
}
`);
  });

  it('make the records and changes of events typed, as a receiver uses them', () => {
    const problems = compiled(
      typesText(DEFINITIONS),
      `import type { ChangeEvent, Json } from 'changewire-events';
      import type { Types } from './types.ts';
      export function receive(event: ChangeEvent<Types>): void {
        if (event.type === 'task.updated') {
          const { record } = event.data.task;
          const risk: 'Low' | 'High' | '' | undefined = record?.['risk-level'];
          const other: Json | undefined = record?.['anything'];
          for (const change of event.data.changes) {
            if (change.kind === 'custom' && change.field === 'risk-level') {
              const to: 'Low' | 'High' | '' | null = change.to ?? change.from;
              // @ts-expect-error: no such choice
              if (change.to === 'Medium') console.log(risk, other, to);
            }
            // @ts-expect-error: no such field
            if (change.kind === 'custom' && change.field === 'risk') console.log(change);
            if (change.kind === 'builtin') { const name: string = change.field; void name; }
          }
          // @ts-expect-error: the process has no such choice
          if (record?.['risk-level'] === 'Medium') console.log(record);
        }
        if (event.type === 'project.created') {
          const phase: 'Plan' | 'Build' | '' | undefined = event.data.project.record?.phase;
          void phase;
        }
      }
      declare const console: { log(...all: unknown[]): void };`,
    );
    expect(problems).toBe('');
  });

  it('are three interfaces and nothing else, whatever the names and choices are', () => {
    const hostile = fc.oneof(
      fc.string({ unit: ANY_CHARACTER }),
      fc.constantFrom('*/ x', '\n};evil();//', '"', '\\', '`$x`', '\u2028evil()', '__proto__', '', 'é á'),
    );
    const fields = fc.array(
      fc.record({
        ...{ externalId: hostile, name: hostile, archived: fc.boolean() },
        type: fc.oneof(hostile, fc.constantFrom('single-choice', 'multiple-choice', 'text')),
        options: fc.array(hostile, { maxLength: 3 }),
      }),
      { maxLength: 4 },
    );
    fc.assert(
      fc.property(fields, fields, hostile, (project, task, process) => {
        const text = typesText({ workspace: 'eu', process, project, task });
        const rest = stripTypeScriptTypes(text)
          .replace(/^\/\/.*$/m, '')
          .replaceAll(/\/\*\*[^*]*\*\//g, '')
          .replaceAll(/^export *$/gm, '');
        expect(rest.trim()).toBe('');
      }),
    );
  });
});
