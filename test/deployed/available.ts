import { emulatorName, installEmulator, Unavailable } from './emulator/install.ts';

/** The exit code of `test:deployed` and of this script when the emulator can't be had: neither success nor failure. */
export const EXIT_UNAVAILABLE = 77;

/** `node test/deployed/available.ts`: says in one line whether `npm run test:deployed` can run here, and installs the
 *  emulator for it. Exits with 0 or 77. */
if (import.meta.main) {
  try {
    const external = process.env.AWS_ENDPOINT_URL;
    if (external === undefined) installEmulator();
    say(`The deployed test can run, on ${external ?? emulatorName()}.`);
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    say(unavailableLine(error));
    process.exitCode = EXIT_UNAVAILABLE;
  }
}

/** Why the test was not run, in one line. */
export function unavailableLine(error: Unavailable): string {
  return `The deployed test was not run: ${error.message}.`;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
