import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AssetHashType, DockerImage } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import type esbuild from 'esbuild';
import { bundleOptions } from './options.ts';
import { prebuiltBundle } from './prebuilt.ts';

const FUNCTIONS = fileURLToPath(new URL('../../functions', import.meta.url));

/** The bundled entry as a CDK asset, named by the hash of its content, with `files` (text by name) beside it. The
 *  package has the bundles; in a checkout the local esbuild makes them, without Docker. */
export function bundledCode(entry: string, files: Readonly<Record<string, string>> = {}): Code {
  const prebuilt = prebuiltBundle(entry, files);
  if (prebuilt !== undefined) return Code.fromAsset(prebuilt);
  return Code.fromAsset(FUNCTIONS, {
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      // CDK bundles once per source and command: without a command every function would get the first bundle.
      command: [entry, JSON.stringify(files)],
      // CDK requires an image in case local bundling fails; it is never used here.
      image: DockerImage.fromRegistry('unused'),
      local: {
        tryBundle: outdir => {
          // Loaded only here, because the package does not have it.
          const { buildSync } = createRequire(import.meta.url)('esbuild') as typeof esbuild;
          buildSync(bundleOptions(entry, outdir));
          for (const [name, text] of Object.entries(files)) writeFileSync(join(outdir, name), text);
          return true;
        },
      },
    },
  });
}
