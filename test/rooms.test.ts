import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ENTRIES } from '../infra/bundle/options.ts';
import { circlesOf } from './kit/circles.ts';

/** The rules of design.md §2 and the rooms of docs/architecture.md, read off the imports. */
const ROOT = resolve(import.meta.dirname, '..');

interface Import {
  readonly from: string;
  readonly to: string;
  readonly typeOnly: boolean;
  /** False where the module is loaded when it is needed. */
  readonly atOnce: boolean;
}

const imports = ['functions', 'infra', 'local', 'cli', 'console', 'receiver'].flatMap(importsIn);

function importsIn(folder: string): Import[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter(file => /\.tsx?$/.test(file))
    .flatMap(file => importsOf(join(ROOT, folder, file)));
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
    const isOwn = within('functions', 'infra', 'local', 'cli', 'console', 'receiver');
    const own = imports.filter(({ from, to }) => isOwn(from) && isOwn(to));
    const steps = own.map(({ from, to }) => ({ from: placeOf(from), to: placeOf(to) }));
    expect(circlesOf(steps)).toEqual([]);
  });

  it('changes/ imports nothing with I/O', () => {
    const changes = within('functions/changes');
    const allowed = (to: string) => changes(to) || to === 'functions/basics/json.ts' || to === 'zod';
    expect(offending(({ from, to, typeOnly }) => changes(from) && !allowed(to) && !typeOnly)).toEqual([]);
  });

  it.each([
    ['service', ['snapshots', 'endpoints', 'pass', 'reading', 'telling', 'topic']],
    ['snapshots', ['service', 'endpoints', 'pass', 'reading', 'telling', 'topic']],
    ['topic', ['service', 'snapshots', 'pass', 'reading', 'telling']],
    ['endpoints', ['service', 'snapshots', 'pass', 'reading', 'telling']],
  ])('%s/ knows nothing of %j', (room, others) => {
    const foreign = within(...others.map(other => `functions/${other}`));
    expect(offending(({ from, to }) => from.startsWith(`functions/${room}/`) && foreign(to))).toEqual([]);
  });

  it('basics/ knows no other room, settings/ only the types of others, aws/ nobody who uses it', () => {
    const rooms = within('functions');
    const basics = within('functions/basics');
    const isForeign = ({ from, to, typeOnly }: Import) => {
      if (!rooms(to) || basics(to)) return false;
      if (basics(from)) return true;
      if (within('functions/settings')(from)) return !typeOnly && !within('functions/settings')(to);
      return within('functions/aws')(from) && !typeOnly && !within('functions/aws')(to);
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
    const foreign = within(
      'functions/service',
      'functions/pass',
      'functions/endpoints',
      'functions/operations',
    );
    const mayKnow = ({ to, typeOnly }: Import) =>
      !foreign(to) && (typeOnly || !within('functions/snapshots')(to));
    expect(offending(one => from(one.from) && !mayKnow(one))).toEqual([]);
  });

  it.each(['pass', 'reading', 'telling'])('%s/ knows the service and the table by their ports only', room => {
    const ports = ['service/service.ts', 'service/errors.ts', 'snapshots/snapshots.ts', 'snapshots/state.ts'];
    const behind = within('functions/service', 'functions/snapshots');
    const isPort = (to: string) => ports.some(port => to === `functions/${port}`);
    expect(
      offending(({ from, to }) => from.startsWith(`functions/${room}/`) && behind(to) && !isPort(to)),
    ).toEqual([]);
  });

  it('operations/ knows stores, queues and receivers by their ports only', () => {
    const behind = within('functions/service', 'functions/snapshots', 'functions/pass', 'functions/topic');
    const foreign = (to: string) => behind(to) || to.startsWith('@aws-sdk/') || to === 'undici';
    expect(
      offending(
        ({ from, to, typeOnly }) => from.startsWith('functions/operations/') && foreign(to) && !typeOnly,
      ),
    ).toEqual([]);
  });

  it('of functions/ only the entries, operate/ and snapshots/ know operations/, the latter its ports', () => {
    const operations = within('functions/operations');
    const mayKnow = ({ from, typeOnly }: Import) =>
      /^functions\/(operations\/|operate\/|handlers\/|[\w-]+\.ts$)/.test(from) ||
      (typeOnly && within('functions/snapshots')(from));
    expect(offending(one => within('functions')(one.from) && operations(one.to) && !mayKnow(one))).toEqual(
      [],
    );
  });

  it('only snapshots/ and the entries know DynamoDB; only service/ knows undici', () => {
    const mayKnow: Record<string, RegExp> = {
      '@aws-sdk/client-dynamodb': /^functions\/(snapshots\/|\w+\.ts$)/,
      undici: /^functions\/(service|endpoints)\//,
    };
    const foreign = ({ from, to }: Import) =>
      from.startsWith('functions/') && to in mayKnow && !mayKnow[to]?.test(from);
    expect(offending(foreign)).toEqual([]);
  });

  it('infra/ imports only types from functions/, and what finds the word that a typo meant', () => {
    const isShared = (to: string) => to === 'functions/basics/nearest.ts';
    expect(
      offending(
        ({ from, to, typeOnly }) =>
          within('infra')(from) && within('functions')(to) && !isShared(to) && !typeOnly,
      ),
    ).toEqual([]);
    expect(offending(({ from, to }) => isShared(from) && to !== 'leven')).toEqual([]);
  });

  it('console/ takes from functions/ types, what follows events, what a filter wants, and how values and names read', () => {
    const shared = [
      'functions/basics/names-in-words.ts',
      'functions/operations/follow.ts',
      'functions/operations/protocol/seal.ts',
      'functions/operations/doctor/to-paste.ts',
      'functions/endpoints/filter.ts',
      'functions/endpoints/chat-text.ts',
      'functions/endpoints/chat-value.ts',
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

  it('functions/ imports nothing from outside, but for the check of an endpoint, by the entry that takes new ones', () => {
    const outside = within('infra', 'local', 'cli', 'console', 'bench', 'docs', 'test');
    expect(offending(({ from, to }) => within('functions')(from) && outside(to))).toEqual([
      'functions/operate.ts imports infra/config/check-endpoint.ts',
    ]);
  });

  it('receiver/ imports nothing else of ours, and loads a library only when it is needed', () => {
    const receiver = within('receiver');
    const libraries: Record<string, string> = {
      'node:crypto': 'receiver/webhooks.ts',
      'sns-payload-validator': 'receiver/sns-signature.ts',
    };
    expect(offending(({ from, to }) => receiver(from) && !receiver(to) && libraries[to] !== from)).toEqual(
      [],
    );
    const later = imports.filter(({ from }) => from === 'receiver/verify.ts').filter(({ atOnce }) => !atOnce);
    expect(later.map(({ to }) => to)).toEqual(['receiver/webhooks.ts', 'receiver/sns.ts']);
    const heavy = ['receiver/webhooks.ts', 'receiver/sns.ts'];
    expect(offending(({ to, atOnce }) => heavy.includes(to) && atOnce)).toEqual([]);
  });

  it('of receiver/ all others know the types of events, no more, and by functions/changes/event.ts', () => {
    const receiver = within('receiver');
    const mayKnow = ({ from, to, typeOnly }: Import) =>
      typeOnly && to === 'receiver/event.ts' && from === 'functions/changes/event.ts';
    expect(offending(one => !receiver(one.from) && receiver(one.to) && !mayKnow(one))).toEqual([]);
  });

  it('the command loads clients of AWS and what reads a store only when it needs them', () => {
    const loaded = new Set<string>();
    const load = (file: string): void => {
      if (loaded.has(file)) return;
      loaded.add(file);
      for (const { from, to, typeOnly, atOnce } of imports)
        if (from === file && atOnce && !typeOnly) load(to);
    };
    load('cli/run.ts');
    expect(loaded).toContain('cli/commands/restore-table.ts');
    expect([...loaded].filter(to => to.startsWith('@aws-sdk/') || within('functions/snapshots')(to))).toEqual(
      [],
    );
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

  it('helpers of tests stand in test/kit/; beside the tests only contracts, golden files and what a browser does', () => {
    const helpers = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
      .filter(file => file.endsWith('.ts') && !file.endsWith('.test.ts'))
      // Programs of their own, which are no helpers.
      .filter(file => !/^(kit|simulation|crash|deployed|mutation|proofs)\//.test(file))
      .filter(file => !/contract|^endpoints\/golden\/|^console\/browser\//.test(file));
    expect(helpers).toEqual([]);
  });
});
