import { argv } from 'node:process';
import { keepCompiledCode } from '../local/basics/package-file.ts';

keepCompiledCode();
if (argv[2] === 'start') {
  // A run sets flags of Node's heap before anything is loaded, so it is told apart here. It reads what follows.
  argv.splice(2, 1);
  await import('../local/main.ts');
} else await import('./run.ts');
