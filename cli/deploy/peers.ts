import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Refused } from '../../functions/operations/refused.ts';
import { packageDirectory } from '../../local/basics/package-file.ts';

/** The packages that only a deployment needs. Our code loads the libraries; the command of the CDK comes from the
 *  user's directory or from ours. */
const PEERS = ['aws-cdk-lib', 'constructs', 'aws-cdk'] as const;

/** The program file of the CDK command. `ours` is the location of our code, `directory` that of the user.
 *  @throws Refused with the packages to install */
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
  return `The AWS CDK is not installed. Install it next to changewire: npm i ${packages}`;
}

function manifestOf(name: string, from: string): string | undefined {
  try {
    return findPackageJSON(name, from);
  } catch {
    return undefined;
  }
}
