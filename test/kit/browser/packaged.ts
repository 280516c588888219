import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { arch, execPath, platform } from 'node:process';
import { fileURLToPath } from 'node:url';

const MODULES = resolve(import.meta.dirname, '../../../node_modules');

/** The Chromium of the package `@sparticuz/chromium`, unpacked once per version; undefined where it has none for this machine.
 *  The package itself would take whatever lies in the temporary directory under the name `chromium`, also of another version or
 *  one that is being unpacked: so it is given a directory of its own, which gets its name when it is whole. */
export function packagedChromium(): string | undefined {
  const manifest = join(MODULES, '@sparticuz/chromium/package.json');
  if (platform !== 'linux' || arch !== 'x64' || !existsSync(manifest)) return undefined;
  const { version } = JSON.parse(readFileSync(manifest, 'utf8'));
  const cache = join(MODULES, '.cache/chromium');
  const unpacked = join(cache, version);
  if (!existsSync(unpacked)) {
    mkdirSync(cache, { recursive: true });
    const partial = mkdtempSync(join(cache, 'partial-'));
    try {
      unpack(partial);
      renameSync(partial, unpacked);
    } catch (error) {
      // Another process may have unpacked it meanwhile.
      if (!existsSync(unpacked)) throw error;
    } finally {
      rmSync(partial, { recursive: true, force: true });
    }
  }
  return join(unpacked, 'chromium');
}

function unpack(directory: string): void {
  const script =
    "const { default: chromium } = await import('@sparticuz/chromium'); await chromium.executablePath();";
  const { status, stderr } = spawnSync(execPath, ['--input-type=module', '--eval', script], {
    cwd: fileURLToPath(new URL('.', import.meta.url)),
    env: { ...process.env, TMPDIR: directory },
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`Chromium can not be unpacked: ${stderr}`);
}
