// JavaScript, so that any Node can run it and report the problem: a version before 24 fails at the first TypeScript
// file. `npm ci` installs Node 24 if npm's package `node` supports the platform; otherwise it must be installed by hand.
const [major] = process.versions.node.split('.').map(Number);

if (major >= 24) await import('./main.ts');
else {
  process.stderr.write(
    `changewire: Node 24 or newer is required; this is Node ${process.versions.node}. Run "npm ci", which installs it if npm ` +
      `has it for ${process.platform} on ${process.arch}, or install it from https://nodejs.org.\n`,
  );
  process.exitCode = 2;
}
