import { cpSync, existsSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AssetHashType, DockerImage } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import type esbuild from 'esbuild';
import { bundleOptions } from './options.ts';

const FUNCTIONS = fileURLToPath(new URL('../../functions', import.meta.url));
/** Where the package has the bundles (package/build.ts). A checkout has none, and makes them. */
const PREBUILT = fileURLToPath(new URL('../../handlers', import.meta.url));

/** The bundled entry as a CDK asset, named by the hash of its content, with `files` (text by name) beside
 *  it. No Docker is needed. */
export function bundledCode(entry: string, files: Readonly<Record<string, string>> = {}): Code {
  return Code.fromAsset(FUNCTIONS, {
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      // CDK bundles once per source and command: without this every function would get the first one's bundle.
      command: [entry, JSON.stringify(files)],
      // CDK wants an image for the case that there is no local bundling; here it is never used.
      image: DockerImage.fromRegistry('unused'),
      local: {
        tryBundle: outdir => {
          bundle(entry, outdir);
          for (const [name, text] of Object.entries(files)) writeFileSync(join(outdir, name), text);
          return true;
        },
      },
    },
  });
}

function bundle(entry: string, outdir: string): void {
  if (existsSync(PREBUILT)) {
    cpSync(join(PREBUILT, basename(entry, '.ts')), outdir, { recursive: true });
    return;
  }
  // Loaded only here: the package does without it.
  const { buildSync } = createRequire(import.meta.url)('esbuild') as typeof esbuild;
  buildSync(bundleOptions(entry, outdir));
}
