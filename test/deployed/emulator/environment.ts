import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The one that emulators take for granted: SNS's handshake names none. */
export const REGION = 'us-east-1';
/** The emulator's own; no account of anybody's. */
export const ACCOUNT = '000000000000';
/** Dummies: the emulator takes any. */
export const CREDENTIALS = { accessKeyId: 'test', secretAccessKey: 'test' };

const BINARIES = fileURLToPath(new URL('../../../node_modules/.bin', import.meta.url));

/** What the CDK CLI and the emulator see of this machine's environment: neither credentials, profiles nor proxies.
 *  `home` is a directory that is thrown away. */
export function cleanEnvironment(home: string): Record<string, string> {
  return {
    PATH: [dirname(process.execPath), BINARIES, process.env.PATH ?? ''].join(':'),
    HOME: home,
    TMPDIR: home,
    LANG: 'C.UTF-8',
    AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
    AWS_REGION: REGION,
    AWS_EC2_METADATA_DISABLED: 'true',
    CDK_DISABLE_CLI_TELEMETRY: 'true',
  };
}
