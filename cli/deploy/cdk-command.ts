import { existsSync } from 'node:fs';
import { execPath, platform } from 'node:process';
import { fileURLToPath } from 'node:url';

/** The variable with the configuration file for the app: `FILE` or `FILE#STACK`. */
export const CONFIG_VARIABLE = 'CHANGEWIRE_CONFIG';

/** The arguments of a CDK command: with our app, and without usage reports. */
export function cdkArguments(command: string, own: readonly string[], more: readonly string[]): string[] {
  return [
    ...[command, ...own],
    ...['--app', appCommand(), '--output', 'cdk.out'],
    ...['--no-version-reporting', '--no-notices'],
    ...more,
  ];
}

/** The shell command of the app. The last word has no meaning: it keeps the CDK's parser from removing quotes at both
 *  ends. */
function appCommand(): string {
  return `${quoted(execPath)} ${quoted(appFile())} changewire`;
}

/** The app next to this file: TypeScript in a checkout, JavaScript in the package. */
function appFile(): string {
  const [source, built] = ['app.ts', 'app.js'].map(name => fileURLToPath(new URL(name, import.meta.url)));
  return source !== undefined && existsSync(source) ? source : (built ?? '');
}

function quoted(part: string): string {
  return platform === 'win32' ? `"${part}"` : `"${part.replace(/([\\"$`])/g, '\\$1')}"`;
}
