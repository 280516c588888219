import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ENTRIES } from '../infra/bundle/options.ts';
import { circlesOf } from './kit/circles.ts';

/** The rules of design.md §2 and the rooms of docs/design.md, read off the imports. */
const ROOT = resolve(import.meta.dirname, '..');

interface Import {
  readonly from: string;
  readonly to: string;
  readonly typeOnly: boolean;
  /** False where the module is loaded when it is needed. */
  readonly atOnce: boolean;
}

const imports = ['functions', 'infra', 'local', 'simulator', 'cli', 'console', 'receiver'].flatMap(importsIn);

function importsIn(folder: string): Import[] {
  return filesIn(folder).flatMap(file => importsOf(join(ROOT, file)));
}

function filesIn(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter(file => /\.tsx?$/.test(file))
    .map(file => join(folder, file));
}

function importsOf(file: string): Import[] {
  const text = readFileSync(file, 'utf8');
  const statements = /^(?:import|export)\s+(type\s)?[^'";]*?from\s+'([^']+)'|\bimport\('([^']+)'\)/gms;
  return [...text.matchAll(statements)].map(([, type, atOnce, later]) => {
    const to = atOnce ?? later ?? '';
    return {
      from: relative(ROOT, file),
      to: to.startsWith('.') ? relative(ROOT, resolve(dirname(file), to)) : to,
      typeOnly: type !== undefined,
      atOnce: atOnce !== undefined,
    };
  });
}

const offending = (rule: (one: Import) => boolean) =>
  imports.filter(rule).map(({ from, to }) => `${from} imports ${to}`);
const within =
  (...rooms: string[]) =>
  (path: string) =>
    rooms.some(room => path.startsWith(`${room}/`));

describe('the rooms', () => {
  it('are read: every file has its imports', () => {
    expect(imports.length).toBeGreaterThan(300);
  });

  /** What is imported as a type counts: who reads one file of a circle must read them all, whatever runs. */
  it.each([
    ['files', (path: string) => path],
    ['folders', dirname],
    ['rooms, each with all its folders', (path: string) => dirname(path).split('/').slice(0, 2).join('/')],
  ])('no circle of imports is between %s', (_, placeOf) => {
    const isOwn = within('functions', 'infra', 'local', 'simulator', 'cli', 'console', 'receiver');
    const own = imports.filter(({ from, to }) => isOwn(from) && isOwn(to));
    const steps = own.map(({ from, to }) => ({ from: placeOf(from), to: placeOf(to) }));
    expect(circlesOf(steps)).toEqual([]);
  });

  it('changes/ imports nothing with I/O', () => {
    const changes = within('functions/changes');
    const allowed = (to: string) => changes(to) || within('functions/basics', 'functions/model')(to);
    expect(offending(({ from, to, typeOnly }) => changes(from) && !allowed(to) && !typeOnly)).toEqual([]);
  });

  it('model/ imports nothing with I/O: basics/ and itself', () => {
    const mayKnow = (to: string) =>
      within('functions/model', 'functions/basics')(to) || ['zod', 'standardwebhooks'].includes(to);
    expect(
      offending(({ from, to, typeOnly }) => within('functions/model')(from) && !mayKnow(to) && !typeOnly),
    ).toEqual([]);
  });

  it.each([
    ['service', ['store', 'delivery', 'pass', 'topic']],
    ['delivery', ['service', 'store/dynamo', 'store/sqlite', 'pass']],
    ['topic', ['service', 'store', 'pass']],
    ['changes', ['service', 'store', 'delivery', 'pass', 'topic', 'operations', 'config']],
    ['model', ['service', 'store', 'delivery', 'pass', 'topic', 'operations', 'config', 'changes']],
  ])('%s/ imports nothing of %j', (room, others) => {
    const foreign = within(...others.map(other => `functions/${other}`));
    expect(offending(({ from, to }) => from.startsWith(`functions/${room}/`) && foreign(to))).toEqual([]);
  });

  it('store/ imports basics/, model/ and libraries', () => {
    const mayKnow = (to: string) =>
      within('functions/store', 'functions/basics', 'functions/model')(to) || !to.startsWith('functions/');
    expect(offending(({ from, to }) => within('functions/store')(from) && !mayKnow(to))).toEqual([]);
  });

  it('store/dynamo and store/sqlite do not import each other, and the ports in store/ import neither', () => {
    const dynamo = within('functions/store/dynamo');
    const sqlite = within('functions/store/sqlite');
    const isPort = (path: string) => dirname(path) === 'functions/store';
    expect(
      offending(
        ({ from, to }) =>
          (dynamo(from) && sqlite(to)) ||
          (sqlite(from) && dynamo(to)) ||
          (isPort(from) && (dynamo(to) || sqlite(to))),
      ),
    ).toEqual([]);
  });

  it('basics/ imports no other folder; config/ values of model/; config/ and aws/ otherwise only types of others', () => {
    const rooms = within('functions');
    const basics = within('functions/basics');
    const isOfModel = ({ from, to }: Pick<Import, 'from' | 'to'>) =>
      within('functions/config')(from) && within('functions/model')(to);
    const isForeign = ({ from, to, typeOnly }: Import) => {
      if (!rooms(to) || basics(to)) return false;
      if (basics(from)) return true;
      return ['functions/config', 'functions/aws'].some(
        room => within(room)(from) && !typeOnly && !within(room)(to) && !isOfModel({ from, to }),
      );
    };
    expect(offending(isForeign)).toEqual([]);
  });

  it('the top of functions/ holds the entries, and only tests know them', () => {
    const top = readdirSync(join(ROOT, 'functions')).filter(name => name.endsWith('.ts'));
    const entries = Object.values(ENTRIES).map(path => path.replace('functions/', ''));
    expect(top.sort()).toEqual(entries.sort());
    expect(offending(({ to }) => /^functions\/[\w-]+\.ts$/.test(to))).toEqual([]);
  });

  it('schedule/ knows the table by its types only, and neither the service nor what a pass does', () => {
    const from = within('functions/schedule');
    const foreign = within('functions/service', 'functions/pass', 'functions/operations');
    const mayKnow = ({ to, typeOnly }: Import) =>
      !foreign(to) && (typeOnly || !within('functions/store')(to));
    expect(offending(one => from(one.from) && !mayKnow(one))).toEqual([]);
  });

  it('pass/ imports the ports of service and store, and nothing else of them', () => {
    const ports = ['service/service.ts', 'service/errors.ts', 'store/store.ts'];
    const behind = within('functions/service', 'functions/store');
    const isPort = (to: string) => ports.some(port => to === `functions/${port}`);
    expect(offending(({ from, to }) => within('functions/pass')(from) && behind(to) && !isPort(to))).toEqual(
      [],
    );
  });

  it('operations/ and doctor/ import stores, queues and receivers by their ports only, but for what only a stack has', () => {
    const from = (path: string) =>
      within('functions/operations', 'functions/doctor')(path) && !within('functions/operations/stack')(path);
    const behind = within(
      'functions/service',
      'functions/store/dynamo',
      'functions/store/sqlite',
      'functions/topic',
    );
    const isPort = (to: string) => to === 'functions/service/errors.ts';
    const foreign = (to: string) =>
      (behind(to) && !isPort(to)) || to.startsWith('@aws-sdk/') || to === 'undici';
    expect(offending(one => from(one.from) && foreign(one.to) && !one.typeOnly)).toEqual([]);
  });

  it('of functions/ only the entries, handlers/, operations/ and doctor/ import operations/', () => {
    const mayKnow = /^functions\/(operations\/|doctor\/|handlers\/|[\w-]+\.ts$)/;
    expect(
      offending(
        ({ from, to }) =>
          within('functions')(from) && within('functions/operations')(to) && !mayKnow.test(from),
      ),
    ).toEqual([]);
  });

  it('only store/dynamo and the entries import DynamoDB; only service/ and delivery/http import undici', () => {
    const mayKnow: Record<string, RegExp> = {
      '@aws-sdk/client-dynamodb': /^functions\/(store\/dynamo\/|operations\/stack\/|\w+\.ts$)/,
      undici: /^functions\/(service|delivery\/http)\//,
    };
    const foreign = ({ from, to }: Import) =>
      from.startsWith('functions/') && to in mayKnow && !mayKnow[to]?.test(from);
    expect(offending(foreign)).toEqual([]);
  });

  it('infra/ imports the configuration and types from functions/', () => {
    const isShared = (to: string) => within('functions/config')(to) || to === 'functions/basics/nearest.ts';
    expect(
      offending(
        ({ from, to, typeOnly }) =>
          within('infra')(from) && within('functions')(to) && !isShared(to) && !typeOnly,
      ),
    ).toEqual([]);
  });

  it('console/ takes from functions/ types, what follows and erases events, what a filter wants, the kinds of endpoints, and how answers, headers, values, names and disks read; from local/ how requests are sealed', () => {
    const shared = [
      'functions/basics/json.ts',
      'functions/basics/names-in-words.ts',
      'functions/operations/follow.ts',
      'functions/operations/walk-erase.ts',
      'local/operate/seal.ts',
      'functions/doctor/settings.ts',
      'functions/model/filter.ts',
      'functions/model/left-out.ts',
      'functions/model/where.ts',
      'functions/model/headers.ts',
      'functions/model/kinds.ts',
      'functions/model/disk.ts',
      'functions/delivery/chat/chat-text.ts',
    ];
    const isForeign = (to: string) => !within('console')(to) && !/^preact(\/|$)/.test(to) && to !== 'vite';
    const mayTake = ({ to, typeOnly }: Import) =>
      shared.includes(to) || (typeOnly && within('functions')(to));
    expect(offending(one => within('console')(one.from) && isForeign(one.to) && !mayTake(one))).toEqual([]);
  });

  it('console/model knows nothing of the page that shows it', () => {
    const knows = (to: string) => within('functions', 'console/model')(to);
    expect(offending(({ from, to }) => within('console/model')(from) && !knows(to))).toEqual([]);
  });

  it('functions/ imports nothing from outside itself', () => {
    const outside = within('infra', 'local', 'simulator', 'cli', 'console', 'bench', 'docs', 'test');
    expect(offending(({ from, to }) => within('functions')(from) && outside(to))).toEqual([]);
  });

  it('simulator/ imports basics/ and pure comparison', () => {
    const mayKnow = (to: string) =>
      within('simulator', 'functions/basics')(to) ||
      to === 'functions/changes/equal.ts' ||
      !to.includes('/') ||
      to.startsWith('node:');
    expect(offending(({ from, to }) => within('simulator')(from) && !mayKnow(to))).toEqual([]);
  });

  it('receiver/ imports nothing else of ours, and loads a library only when it is needed', () => {
    const receiver = within('receiver');
    const libraries: Record<string, string> = {
      'node:crypto': 'receiver/webhooks.ts',
      'sns-payload-validator': 'receiver/sns-signature.ts',
      '@aws-sdk/client-lambda': 'receiver/operations.ts',
      'node:fs/promises': 'receiver/operations.ts',
      'node:path': 'receiver/operations.ts',
      'node:timers/promises': 'receiver/consume.ts',
    };
    expect(offending(({ from, to }) => receiver(from) && !receiver(to) && libraries[to] !== from)).toEqual(
      [],
    );
    const later = imports.filter(({ from }) => from === 'receiver/verify.ts').filter(({ atOnce }) => !atOnce);
    expect(later.map(({ to }) => to)).toEqual(['receiver/webhooks.ts', 'receiver/sns.ts']);
    const heavy = ['receiver/webhooks.ts', 'receiver/sns.ts'];
    expect(offending(({ to, atOnce }) => heavy.includes(to) && atOnce)).toEqual([]);
  });

  it('of receiver/ all others know the types of events, no more, and by functions/model/event.ts', () => {
    const receiver = within('receiver');
    const mayKnow = ({ from, to, typeOnly }: Import) =>
      typeOnly && to === 'receiver/event.ts' && from === 'functions/model/event.ts';
    expect(offending(one => !receiver(one.from) && receiver(one.to) && !mayKnow(one))).toEqual([]);
  });

  it('the command loads clients of AWS, the MCP SDK and what reads a store only when it needs them', () => {
    const loaded = new Set<string>();
    const load = (file: string): void => {
      if (loaded.has(file)) return;
      loaded.add(file);
      for (const { from, to, typeOnly, atOnce } of imports)
        if (from === file && atOnce && !typeOnly) load(to);
    };
    load('cli/program.ts');
    expect(loaded).toContain('cli/commands/restore-table.ts');
    const isHeavy = within('@aws-sdk', '@modelcontextprotocol', 'functions/store');
    expect([...loaded].filter(isHeavy)).toEqual([]);
  });

  it('the example of a receiver imports nothing else of ours than it, in one file', () => {
    const own = importsIn('examples').filter(({ to }) => !to.startsWith('node:'));
    expect(own.filter(({ to }) => !within('examples')(to))).toEqual([
      { from: 'examples/receiver/changewire.ts', to: 'receiver/index.ts', typeOnly: false, atOnce: true },
    ]);
  });

  it('no module of functions/ reads the environment, but the entries when they are called', () => {
    const readers = readdirSync(join(ROOT, 'functions'), { recursive: true, encoding: 'utf8' })
      .filter(file => file.endsWith('.ts'))
      .filter(file => /process\.env/.test(readFileSync(join(ROOT, 'functions', file), 'utf8')));
    expect(readers.sort()).toEqual([
      'deliver.ts',
      'operate.ts',
      'poll.ts',
      'publish.ts',
      'route.ts',
      'tick.ts',
    ]);
  });

  it('functions/ exports at most 337 types and classes', () => {
    const exported = filesIn('functions').flatMap(file => [
      ...readFileSync(join(ROOT, file), 'utf8').matchAll(
        /^export (?:declare )?(?:abstract )?(?:interface|type|class) \w+/gm,
      ),
    ]);
    const toDo =
      'Each is one more name to learn. Do not export a type that one file uses; derive one that belongs to a ' +
      'function (Parameters, ReturnType); or remove another. If none of these reads well, raise the number.';
    expect(exported.length, toDo).toBeLessThanOrEqual(337);
  });

  it('at most 29 files in the folders of functions/ have one importer', () => {
    const inFolders = filesIn('functions').filter(file => dirname(file) !== 'functions');
    const all = [...imports, ...['bench', 'docs', 'package'].flatMap(importsIn)];
    const importersOf = Map.groupBy(all, ({ to }) => to);
    const lone = inFolders.filter(file => new Set(importersOf.get(file)?.map(({ from }) => from)).size === 1);
    const toDo =
      'A helper that one file imports belongs in that file, while it stays under 300 lines. If a file is better ' +
      `apart (a kind, an operation, an aggregate), raise the number. These have one importer:\n${lone.join('\n')}`;
    expect(lone.length, toDo).toBeLessThanOrEqual(29);
  });

  it('helpers of tests stand in test/kit/; beside the tests only contracts and what a browser does', () => {
    const helpers = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
      .filter(file => file.endsWith('.ts') && !file.endsWith('.test.ts'))
      // Programs of their own, which are no helpers.
      .filter(file => !/^(kit|simulation|crash|deployed|mutation|proofs)\//.test(file))
      .filter(file => !/contract|^console\/browser\//.test(file));
    expect(helpers).toEqual([]);
  });
});
