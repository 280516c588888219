import type { DirectDoctor } from '../../../cli/connect/doctor.ts';
import type { World } from '../../../cli/context/world.ts';
import { changewire } from '../../../cli/program.ts';
import type { Operation, Request } from '../../../functions/operations/protocol/requests.ts';

/** A time that all answers of these tests are about. */
export const NOW = Date.parse('2026-11-21T12:00:00Z');

export type Answers = Partial<Record<Operation, unknown>>;

export interface Told {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  /** What was asked. */
  readonly asked: readonly Request[];
  /** The places (stack or directory) that were connected to. */
  readonly places: readonly object[];
}

export interface Setting {
  /** The answers by operation; a function gets the request, and may throw. */
  readonly answers?: Answers;
  /** Columns of a terminal; undefined: stdout is a pipe. */
  readonly columns?: number;
  readonly env?: Record<string, string>;
  /** Lines that are typed or piped in; undefined: nobody types. */
  readonly secrets?: readonly string[];
  /** Lines that are typed as answers to questions. */
  readonly lines?: readonly string[];
  /** The current folder. */
  readonly directory?: string;
  /** The answer to a question, or to each; undefined: nobody can be asked. */
  readonly says?: boolean | ((question: string) => boolean);
  readonly interrupted?: AbortSignal;
  readonly sleep?: World['sleep'];
  readonly clock?: World['clock'];
  /** A doctor for the service that the environment names. */
  readonly doctor?: DirectDoctor;
  /** Connects, instead of giving `answers`. */
  readonly open?: World['open'];
  readonly browse?: World['browse'];
  readonly backUp?: World['backUp'];
  readonly planRestore?: World['planRestore'];
  readonly stackTable?: World['stackTable'];
  /** Runs a program, and gives its exit code. */
  readonly execute?: World['execute'];
  /** Where a run that answers has its console. */
  readonly page?: Awaited<ReturnType<World['open']>>['page'];
  /** The data directory of that run. */
  readonly runIn?: string;
  /** Called with each text as it is written to stdout. */
  readonly said?: (text: string) => void;
}

/** Runs the command with prepared answers. */
export async function run(args: readonly string[], setting: Setting = {}): Promise<Told> {
  const { world, told, asked, places } = worldOf(setting);
  const code = await changewire(args, world);
  return { code, ...told, asked, places };
}

/** A world for a command, and what the command did in it. */
export function worldOf(setting: Setting) {
  const { answers = {}, columns, env = {}, secrets = [], says, directory = '/nowhere' } = setting;
  const told = { out: '', err: '' };
  const tell = (stream: 'out' | 'err', text: string) => {
    told[stream] += text;
    if (stream === 'out') setting.said?.(text);
  };
  const asked: Request[] = [];
  const places: object[] = [];
  const [hidden, typed] = [[...secrets], [...(setting.lines ?? [])]];
  const terminal = columns === undefined ? {} : { isTTY: true, columns };
  const world: World = {
    stdout: { write: text => tell('out', text), ...terminal },
    stderr: { write: text => tell('err', text), ...terminal },
    env,
    directory,
    input: {
      canAsk: says !== undefined,
      confirm: async question => {
        told.err += `${question}\n`;
        return typeof says === 'function' ? says(question) : says === true;
      },
      line: async question => {
        told.err += `${question}\n`;
        const line = typed.shift();
        if (line === undefined) throw new Error('nobody types any more');
        return line;
      },
      secret: async what => {
        if (says !== undefined) told.err += `${what}\n`;
        return hidden.shift() ?? '';
      },
    },
    clock: setting.clock ?? (() => NOW),
    doctor: async () => setting.doctor,
    backUp: setting.backUp ?? (async ({ data = '.changewire' }) => data),
    planRestore: setting.planRestore ?? (() => Promise.reject(new Error('asked'))),
    stackTable: setting.stackTable ?? (() => Promise.reject(new Error('asked'))),
    execute: setting.execute ?? (async () => 0),
    browse: setting.browse ?? (async () => undefined),
    sleep: setting.sleep ?? (async () => undefined),
    interrupted: setting.interrupted ?? new AbortController().signal,
    open: async place => {
      if (setting.open) return setting.open(place);
      places.push(JSON.parse(JSON.stringify(place)));
      return {
        ...(setting.page && { page: setting.page, directory: setting.runIn ?? directory }),
        ask: async request => {
          asked.push(request);
          const answer = answers[request.operation];
          return typeof answer === 'function' ? answer(request) : answer;
        },
        close: async () => undefined,
      };
    },
  };
  return { world, told, asked, places };
}
