import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

/** Where people work, and where servers run. */
const PLATFORMS = ['linux', 'darwin', 'win32'].flatMap(os => ['x64', 'arm64'].map(cpu => ({ os, cpu })));

interface Package {
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly integrity?: string;
  readonly resolved?: string;
  readonly inBundle?: boolean;
  /** A folder of the checkout. */
  readonly link?: boolean;
  readonly optional?: boolean;
  readonly hasInstallScript?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const read = (path: string) => JSON.parse(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'));
const packages: Record<string, Package> = read('package-lock.json').packages;
const { allowScripts } = read('package.json');
/** In a package of their own, so that those who install Changewire do without them. */
const { optionalDependencies } = read('package/checkout/package.json');

const runsOn = ({ os, cpu }: Package, platform: { os: string; cpu: string }) =>
  (os ?? [platform.os]).includes(platform.os) && (cpu ?? [platform.cpu]).includes(platform.cpu);
const isBound = ({ os, cpu }: Package) => os !== undefined || cpu !== undefined;
const locked = (name: string) => packages[`node_modules/${name}`];

/** The packages that are one program or library for each platform, with their variants. */
const platformPackages = Object.entries(packages)
  .filter(([path]) => path !== '')
  .map(([path, { optionalDependencies: names = {} }]) => ({ path, variants: Object.keys(names) }))
  .filter(({ variants }) => variants.filter(name => isBound(locked(name) ?? {})).length > 1);

describe('package-lock.json', () => {
  test('knows the tools that are built for each platform', () => {
    expect(platformPackages.map(({ path }) => path)).toEqual(
      expect.arrayContaining([
        'node_modules/@biomejs/biome',
        'node_modules/esbuild',
        'node_modules/rolldown',
      ]),
    );
  });

  test.each(platformPackages)('has $path for Linux, macOS and Windows, on x64 and ARM', ({ variants }) => {
    const found = variants.map(locked).filter(one => one !== undefined);
    expect(found).toHaveLength(variants.length);
    const lacking = PLATFORMS.filter(platform => !found.some(one => runsOn(one, platform)));
    expect(lacking).toEqual([]);
  });

  test('needs nothing that is there for some platforms only', () => {
    const bound = Object.entries(packages).filter(([, one]) => isBound(one) && !one.optional);
    expect(bound.map(([path]) => path)).toEqual([]);
  });

  test('pins what is downloaded by its content, not by a place', () => {
    const isForeign = ([path, { inBundle, link }]: [string, Package]) =>
      path.startsWith('node_modules/') && !inBundle && !link;
    const loose = Object.entries(packages).filter(isForeign);
    expect(loose.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'))).toEqual([]);
    expect(loose.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
  });

  // npm goes on without an optional package, or one whose script fails: no platform lacks the rest for it.
  test('lets no platform fail for want of Node 24 or of the embedded DynamoDB', () => {
    expect(Object.keys(optionalDependencies)).toEqual(['@dynoxide/linux-x64', 'node']);
    for (const name of Object.keys(optionalDependencies)) expect(locked(name)?.optional).toBe(true);
    const withScript = Object.keys(packages).filter(path => packages[path]?.hasInstallScript);
    expect(withScript.map(path => path.replace('node_modules/', ''))).toEqual(Object.keys(allowScripts));
  });
});
