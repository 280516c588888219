import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseOptions } from '../../local/settings/options.ts';
import { ROOT } from '../kit/package/loaded.ts';
import { temporaryDirectory } from '../kit/temporary.ts';

const FOLDER = resolve(ROOT, 'docs/self-hosting');
const INSTALLED = '/opt/changewire/node_modules/changewire';
const COMMAND = 'cli/changewire.js';
const units = readdirSync(FOLDER).filter(name => /\.(service|timer)$/.test(name));

/** Settings as systemd reads them: `Section.Key`, each with its values in order. */
function settingsOf(unit: string): Map<string, string[]> {
  const settings = new Map<string, string[]>();
  let section = '';
  for (const line of readFileSync(join(FOLDER, unit), 'utf8').split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const [, header, key, value = ''] = /^(?:\[(\w+)\]|(\w+)=(.*))$/.exec(line) ?? [];
    if (header === undefined && key === undefined) throw new Error(`${unit}: ${line}`);
    if (header !== undefined) section = header;
    else settings.set(`${section}.${key}`, [...(settings.get(`${section}.${key}`) ?? []), value]);
  }
  return settings;
}

/** The first version that knows all settings and options that are used here. */
const SYSTEMD = 250;

/** Where there is no systemd, or an old one, nothing can be asked: only the tests below hold. */
function hasSystemd(): boolean {
  const { stdout } = spawnSync('systemd-analyze', ['--version'], { encoding: 'utf8' });
  return Number(/^systemd (\d+)/.exec(stdout ?? '')?.[1] ?? 0) >= SYSTEMD;
}

/** What `systemd-analyze` says of the units, as if the package were installed here, with this Node; undefined where there is none. */
function analyse(...args: string[]): { status: number | null; said: string } | undefined {
  if (!hasSystemd()) return undefined;
  const directory = temporaryDirectory();
  const paths = units.map(unit => join(directory, unit));
  for (const [index, unit] of units.entries()) {
    const text = readFileSync(join(FOLDER, unit), 'utf8');
    const here = text.replaceAll(/(?<==|exec )node (?=\/)/g, `${process.execPath} `);
    writeFileSync(paths[index] as string, here.replaceAll(INSTALLED, ROOT));
  }
  const services = args[0] === 'security' ? paths.filter(path => path.endsWith('.service')) : paths;
  const { status, stdout, stderr } = spawnSync('systemd-analyze', [...args, ...services], {
    encoding: 'utf8',
  });
  return { status, said: stdout + stderr };
}

const OF_NO_SYSTEMD = { status: 0, said: '' };

describe('the systemd units', () => {
  test('are taken by systemd-analyze verify without a word, where there is one', () => {
    expect(analyse('verify', '--man=no') ?? OF_NO_SYSTEMD).toEqual({ status: 0, said: '' });
  });

  test('leave little to attack: systemd-analyze security counts 2 of 10 at most, where there is one', () => {
    const { status } = analyse('security', '--offline=true', '--threshold=20') ?? OF_NO_SYSTEMD;
    expect(status).toBe(0);
  });

  test.each(units)('are made of sections and settings, each once unless systemd adds them up: %s', unit => {
    const twice = [...settingsOf(unit)].filter(([, values]) => values.length > 1).map(([key]) => key);
    expect(twice.filter(key => key !== 'Service.SystemCallFilter')).toEqual([]);
  });

  test('start what is there, with options that there are, on the directory that is theirs', () => {
    const settings = settingsOf('changewire.service');
    const [[node, main, command, ...options] = []] = (settings.get('Service.ExecStart') ?? []).map(line =>
      line.split(' '),
    );
    expect({ node, main, command }).toEqual({
      node: 'node',
      main: `${INSTALLED}/${COMMAND}`,
      command: 'start',
    });
    expect(existsSync(join(ROOT, COMMAND))).toBe(true);
    expect(options.pop()).toBe('$OPTIONS');
    const { data, config, health } = parseOptions(options);
    expect(health).toBe(8321);
    expect(data).toBe(`/var/lib/${settings.get('Service.StateDirectory')}`);
    expect(settings.get('Service.WorkingDirectory')).toEqual([data]);
    expect(config).toBe('/etc/changewire/changewire.json');
  });
});
