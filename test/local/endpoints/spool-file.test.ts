import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { countSpooled, type SpooledMessage, SpoolFile } from '../../../local/endpoints/spool-file.ts';
import { temporaryDirectory } from '../dynamodb/support.ts';

let path: string;
beforeEach(() => {
  path = join(temporaryDirectory(), 'undelivered', 'crm.jsonl');
});

const message = (key: string, more: Partial<SpooledMessage> = {}) => ({
  key,
  body: `body of ${key}`,
  ...more,
});
const reopened = () => [...new SpoolFile(path).values()];

describe('the file of undelivered messages', () => {
  it('tells after every step, to whoever opens it next, what was put and not deleted', () => {
    const step = fc.record({
      key: fc.constantFrom('a', 'b', 'c', 'ü\n'),
      due: fc.option(fc.nat(), { nil: undefined }),
      gone: fc.boolean(),
    });
    const follow = (steps: readonly { key: string; due: number | undefined; gone: boolean }[]): void => {
      const expected = new Map<string, SpooledMessage>();
      const file = new SpoolFile(join(temporaryDirectory(), 'crm.jsonl'));
      for (const { key, due, gone } of steps) {
        const put = message(key, due === undefined ? {} : { due });
        if (gone) {
          file.delete([key]);
          expected.delete(key);
        } else {
          file.put([put], { flush: false });
          expected.set(key, put);
        }
        expect([...file.values()]).toEqual([...expected.values()]);
        expect(countSpooled(file.path)).toBe(expected.size);
      }
      const again = new SpoolFile(file.path);
      expect([...again.values()].sort(byKey)).toEqual([...expected.values()].sort(byKey));
    };
    fc.assert(fc.property(fc.array(step, { maxLength: 12 }), follow), { numRuns: 50 });
  });

  it('is for its user alone', () => {
    const file = new SpoolFile(path);
    file.put([message('a')], { flush: true });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(path, '..')).mode & 0o777).toBe(0o700);
  });

  it('knows nothing of a message whose line a kill cut short, and glues nothing to it', () => {
    new SpoolFile(path).put([message('a'), message('b')], { flush: true });
    const text = readFileSync(path, 'utf8');
    for (const cut of [1, 10, text.split('\n')[1]?.length ?? 0]) {
      writeFileSync(path, text.slice(0, -cut - 1));
      const file = new SpoolFile(path);
      expect([...file.values()]).toEqual([message('a')]);
      file.put([message('c')], { flush: false });
      expect(reopened()).toEqual([message('a'), message('c')]);
    }
  });

  it.each(['{"key":"a"}', 'nonsense', '{"key":"a","body":"x","more":1}'])(
    'refuses a damaged line: %s, with its number and what to do',
    damaged => {
      new SpoolFile(path).put([message('a')], { flush: false });
      appendFileSync(path, `${damaged}\n`);
      expect(() => new SpoolFile(path)).toThrow(
        `${path} is damaged in line 2. Delete that line: its event is then lost.`,
      );
    },
  );

  it('goes on after a write that failed, having taken nothing of it', () => {
    const file = new SpoolFile(path);
    file.put([message('a')], { flush: false });
    renameSync(path, `${path}.away`);
    mkdirSync(path);
    expect(() => file.put([message('b')], { flush: false })).toThrow(/EISDIR/);
    expect(() => file.delete(['a'])).toThrow();
    expect([...file.values()]).toEqual([message('a')]);
    rmdirSync(path);
    file.put([message('c')], { flush: false });
    expect(reopened()).toEqual([message('a'), message('c')]);
  });

  it('does not grow with what is over', () => {
    const file = new SpoolFile(path);
    file.put([message('stays')], { flush: false });
    for (let index = 0; index < 3000; index++) {
      file.put([message(String(index))], { flush: false });
      file.delete([String(index)]);
    }
    expect(readFileSync(path, 'utf8').split('\n').length).toBeLessThan(1100);
    expect(reopened()).toEqual([message('stays')]);
  });
});

function byKey(a: SpooledMessage, b: SpooledMessage): number {
  return a.key < b.key ? -1 : 1;
}
