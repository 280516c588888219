import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SOURCE = fileURLToPath(new URL('watch.c', import.meta.url));

/** Compiles `watch.c` into `directory`. @returns the library's path, or why there is none */
export function watchLibrary(directory: string): { readonly path: string } | { readonly lacks: string } {
  if (process.platform !== 'linux') return { lacks: `${process.platform} has no LD_PRELOAD as Linux has it` };
  const path = join(directory, 'watch.so');
  try {
    execFileSync('cc', ['-shared', '-fPIC', '-O1', '-o', path, SOURCE, '-ldl'], { stdio: 'pipe' });
    return { path };
  } catch (error) {
    const { code, stderr } = error as NodeJS.ErrnoException & { stderr?: Buffer };
    return { lacks: code === 'ENOENT' ? 'there is no C compiler (cc)' : `cc fails: ${stderr}` };
  }
}
