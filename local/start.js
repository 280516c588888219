// JavaScript, so that any Node can run it and say what is wrong: one before 24 fails at the first
// TypeScript file. `npm ci` installs Node 24 where npm's package `node` has it for the platform.
// Elsewhere it installs everything else, and Node 24 must be installed by hand.
const [major] = process.versions.node.split('.').map(Number);

if (major >= 24) await import('./main.ts');
else {
  process.stderr.write(
    `changewire: This is Node ${process.versions.node}, and Node 24 or newer is needed. Run npm ci, which brings it where npm ` +
      `has it for ${process.platform} on ${process.arch}, or install it from https://nodejs.org.\n`,
  );
  process.exitCode = 2;
}
