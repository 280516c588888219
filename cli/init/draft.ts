import type { Json } from '../../functions/basics/json.ts';

/** One setting that the service's answers ask for, and why. */
export interface Setting {
  readonly key: string;
  readonly value: Json;
  /** What was found, in sentences, by what it is about. */
  readonly why: Readonly<Record<string, string>>;
}

/** A process that the file is to watch. */
export interface DraftedProcess {
  readonly id: string;
  readonly settings: readonly Setting[];
}

/** What `changewire init` writes into a configuration file: one workspace. */
export interface Draft {
  readonly name: string;
  readonly baseUrl: string;
  readonly authUrl: string;
  readonly audience: string;
  readonly settings: readonly Setting[];
  readonly processes: readonly DraftedProcess[];
}

/** The draft as a configuration holds it. */
export function configOf({ name, baseUrl, authUrl, audience, settings, processes }: Draft) {
  const workspace = { name, baseUrl, authUrl, audience, ...valuesOf(settings) };
  return {
    workspaces: [
      { ...workspace, processes: processes.map(({ id, settings }) => ({ id, ...valuesOf(settings) })) },
    ],
  };
}

function valuesOf(settings: readonly Setting[]): Record<string, Json> {
  return Object.fromEntries(settings.map(({ key, value }) => [key, value]));
}
