import type { Json } from '../../functions/basics/json.ts';

/** A setting that the doctor suggests. */
export interface Setting {
  readonly key: string;
  readonly value: Json;
  /** The findings, by topic. */
  readonly why: Readonly<Record<string, string>>;
}

/** A process in the configuration file. */
export interface DraftedProcess {
  readonly id: string;
  readonly settings: readonly Setting[];
}

/** The configuration file of `changewire init`: one workspace. */
export interface Draft {
  readonly name: string;
  readonly baseUrl: string;
  readonly authUrl: string;
  readonly audience: string;
  readonly settings: readonly Setting[];
  readonly processes: readonly DraftedProcess[];
}

/** The draft in the form of a configuration. */
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
