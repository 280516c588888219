import { isIP } from 'node:net';
import { shown } from '../../functions/config/problems.ts';
import { UsageError } from '../basics/usage-error.ts';

/** Where the console is served. */
export interface ConsolePlace {
  /** undefined: any free port, on one machine the one of the last run. */
  readonly port?: number | undefined;
  /** The address to listen on; undefined: this machine only. */
  readonly host?: string | undefined;
  /** Where a reverse proxy serves the page: `https://changewire.example.com`. */
  readonly origin?: string | undefined;
}

/** The options of `start` and `console`, with their texts for the help of both. */
export const CONSOLE_OPTIONS = {
  'console-port': {
    value: 'PORT',
    example: '8322',
    text: 'serve the console on this port (default: any free port)',
    brief: 'its port',
  },
  'console-host': {
    value: 'ADDRESS',
    example: '0.0.0.0',
    text: 'serve it on this address, for a container (default: 127.0.0.1)',
    brief: 'its address',
  },
  'console-origin': {
    value: 'URL',
    example: 'https://changewire.example.com',
    text: 'the https address of a reverse proxy (docs/console.md)',
    brief: 'the https address of its reverse proxy',
  },
} as const;

type Values = Readonly<Partial<Record<keyof typeof CONSOLE_OPTIONS, string | undefined>>>;

/** @throws UsageError */
export function consolePlace(values: Values): ConsolePlace {
  const { 'console-port': port, 'console-host': host, 'console-origin': origin } = values;
  return {
    port: port === undefined ? undefined : portIn('console-port', port),
    host: host === undefined ? undefined : hostIn(host),
    origin: origin === undefined ? undefined : originIn(origin),
  };
}

/** @throws UsageError */
export function portIn(option: string, value: string): number {
  if (/^\d{1,5}$/.test(value) && Number(value) < 65_536) return Number(value);
  throw new UsageError(`--${option} takes a port from 0 (any free port) to 65535, found ${shown(value)}.`);
}

function hostIn(value: string): string {
  if (isIP(value) !== 0) return value;
  throw new UsageError(
    `--console-host takes an IP address of this machine, or 0.0.0.0 for all, found ${shown(value)}.`,
  );
}

function originIn(value: string): string {
  const url = URL.parse(value);
  if (url?.protocol === 'https:' && url.href === `${url.origin}/`) return url.origin;
  throw new UsageError(
    '--console-origin takes an https address without a path, such as https://changewire.example.com: browsers ' +
      'have no encryption for pages over http.',
  );
}
