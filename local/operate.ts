import { operate } from './operate/operate.ts';

/** `npm run endpoints`: what people do to the endpoints of a local run, also while it runs (docs/local.md). */
// Who reads only the beginning, as `head` does, has had enough.
process.stdout.on('error', error => {
  if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error;
  process.exit();
});
process.exitCode = await operate(process.argv.slice(2), {
  out: text => void process.stdout.write(`${text}\n`),
  err: text => void process.stderr.write(`${text}\n`),
});
