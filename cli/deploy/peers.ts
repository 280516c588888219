import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Refused } from '../../functions/operations/refused.ts';
import { packageDirectory } from '../../local/basics/package-file.ts';

/** The packages that only a deployment needs, and from where each is loaded: the libraries by our own code, the CDK's command from
 *  the user's folder, or else from where we are. */
const PEERS = ['aws-cdk-lib', 'constructs', 'aws-cdk'] as const;

/** The program of the CDK's command, to be run by Node. `ours` is the place of our own code, `directory` the user's folder.
 *  @throws Refused that says in one line what to install */
export function cdkProgram(directory: string, ours = import.meta.url): string {
  const theirs = pathToFileURL(join(directory, 'package.json')).href;
  const found = {
    'aws-cdk-lib': manifestOf('aws-cdk-lib', ours),
    constructs: manifestOf('constructs', ours),
    'aws-cdk': manifestOf('aws-cdk', theirs) ?? manifestOf('aws-cdk', ours),
  };
  const missing = PEERS.filter(name => found[name] === undefined);
  const cdk = found['aws-cdk'];
  if (missing.length > 0 || cdk === undefined) throw new Refused(toInstall(missing));
  const { bin } = JSON.parse(readFileSync(cdk, 'utf8')) as { bin: string | { cdk: string } };
  return join(dirname(cdk), typeof bin === 'string' ? bin : bin.cdk);
}

function toInstall(missing: readonly string[]): string {
  const path = join(packageDirectory(), 'package.json');
  const { peerDependencies } = JSON.parse(readFileSync(path, 'utf8')) as {
    peerDependencies: Record<string, string>;
  };
  const packages = missing.map(name => `${name}@${peerDependencies[name]}`).join(' ');
  return `The AWS CDK is not installed here, which deploys. Install it beside changewire: npm i ${packages}`;
}

function manifestOf(name: string, from: string): string | undefined {
  try {
    return findPackageJSON(name, from);
  } catch {
    return undefined;
  }
}
