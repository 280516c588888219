import { existsSync } from 'node:fs';
import { execPath, platform } from 'node:process';
import { fileURLToPath } from 'node:url';

/** The variable by which the app knows the configuration file: `FILE` or `FILE#STACK`. */
export const CONFIG_VARIABLE = 'CHANGEWIRE_CONFIG';

/** The arguments of every command of the CDK. It makes the stacks by our app, and reports nothing to anybody. */
export function cdkArguments(command: string, own: readonly string[], more: readonly string[]): string[] {
  return [
    ...[command, ...own],
    ...['--app', appCommand(), '--output', 'cdk.out'],
    ...['--no-version-reporting', '--no-notices'],
    ...more,
  ];
}

/** What the CDK has a shell run. The last word means nothing: without it the CDK's parser would take off quotes that stand at both
 *  ends. */
function appCommand(): string {
  return `${quoted(execPath)} ${quoted(appFile())} changewire`;
}

/** The app beside this file: TypeScript in a checkout, JavaScript in the package. */
function appFile(): string {
  const [source, built] = ['app.ts', 'app.js'].map(name => fileURLToPath(new URL(name, import.meta.url)));
  return source !== undefined && existsSync(source) ? source : (built ?? '');
}

/** A part of a shell's command line. */
function quoted(part: string): string {
  return platform === 'win32' ? `"${part}"` : `"${part.replace(/([\\"$`])/g, '\\$1')}"`;
}
