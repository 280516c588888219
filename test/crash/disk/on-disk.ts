import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryDirectory } from '../../kit/temporary.ts';
import { Disk } from './disk.ts';

/** A disk, and what runs on it: a script that has `fs`, `path` for a name and `syncDirectory`. */
function diskOf(root: string, library: string) {
  const directory = join(root, 'data');
  const disk = new Disk(directory, join(root, 'log'), library);
  const head = `import fs from 'node:fs'; const path = name => ${JSON.stringify(`${directory}/`)} + name;
    const syncDirectory = () => fs.fsyncSync(fs.openSync(${JSON.stringify(directory)}));`;
  const run = (script: string) => {
    const env = { ...process.env, ...disk.environment };
    execFileSync(process.execPath, ['--input-type=module', '--eval', head + script], { env });
  };
  const files = () =>
    Object.fromEntries(
      readdirSync(directory).map(name => [name, readFileSync(join(directory, name), 'utf8')] as const),
    );
  return { disk, directory, run, files };
}

/** Runs `check` where a process can be watched; elsewhere a line says that it did not run. */
export function onDisk(check: (disk: ReturnType<typeof diskOf>) => void): () => void {
  return () => {
    const root = realpathSync(temporaryDirectory());
    const library = watchLibrary(root);
    if ('path' in library) check(diskOf(root, library.path));
    else process.stderr.write(`Not run: ${library.lacks}.\n`);
  };
}

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
