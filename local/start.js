// JavaScript, so that any Node can say what is wrong: one before 24 stumbles over the first TypeScript file. `npm ci` brings
// Node 24 where npm's package `node` has it for the platform; elsewhere it installs the rest, and Node is for the user to install.
const [major] = process.versions.node.split('.').map(Number);

if (major >= 24) await import('./main.ts');
else {
  process.stderr.write(
    `changewire: This is Node ${process.versions.node}, and Node 24 or newer is needed. Run npm ci, which brings it where npm ` +
      `has it for ${process.platform} on ${process.arch}, or install it from https://nodejs.org.\n`,
  );
  process.exitCode = 2;
}
