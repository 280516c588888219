import { fileURLToPath } from 'node:url';
import { AssetHashType, DockerImage } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { buildSync } from 'esbuild';
import { bundleOptions } from './options.ts';

const FUNCTIONS = fileURLToPath(new URL('../../functions', import.meta.url));

/** The bundled entry as a CDK asset, named by the hash of its content. The local esbuild makes it: no Docker. */
export function bundledCode(entry: string): Code {
  return Code.fromAsset(FUNCTIONS, {
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      // CDK bundles once per source and command: without this every function would get the first one's bundle.
      command: [entry],
      // CDK wants an image, for the case that the local build declines; ours never does.
      image: DockerImage.fromRegistry('unused'),
      local: {
        tryBundle: outdir => {
          buildSync(bundleOptions(entry, outdir));
          return true;
        },
      },
    },
  });
}
