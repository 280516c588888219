import { describe, expect, it } from 'vitest';
import {
  partition,
  placeOf,
  processIn,
  processOf,
  projectIn,
  projectOfRecheck,
  RECHECK,
  recheckKey,
  rosterKey,
  subjectPartition,
} from '../../functions/store/keys.ts';

const process = { workspace: 'e.u', processId: 'on boarding' };

describe('a key', () => {
  it('of a recheck tells its project, unless that is too long for it', () => {
    expect(projectOfRecheck(recheckKey(process, 'a.b#c').sk.S)).toBe('a.b#c');
    const fitting = 'x'.repeat(1024 - RECHECK.length);
    expect(projectOfRecheck(recheckKey(process, fitting).sk.S)).toBe(fitting);
    const hashed = recheckKey(process, `${fitting}x`).sk.S;
    expect(hashed).toMatch(/^DEBT##[0-9a-f]{64}$/);
    expect(projectOfRecheck(hashed)).toBeUndefined();
  });

  it('of a delivery sorts by its time, and has a hash for an id that is too long for it', () => {
    expect(placeOf(5, 'p.1')).toBe('0000000000005#p%2E1');
    const fitting = 'x'.repeat(1002);
    expect(placeOf(5, fitting)).toBe(`0000000000005#${fitting}`);
    expect(placeOf(5, `${fitting}x`)).toMatch(/^0000000000005##[0-9a-f]{64}$/);
  });

  it('of the roster tells its process', () => {
    expect(processIn(rosterKey(process).sk.S)).toEqual(process);
  });

  it('of a change record tells its project, and any other key none', () => {
    expect(projectIn('CHANGE#0000000000005#p%2E1#5')).toBe('p%2E1');
    expect(projectIn('STATE')).toBe('');
  });
});

describe('a partition', () => {
  it('is of the stack, of an endpoint, or of a process', () => {
    expect(subjectPartition({ stack: true })).toBe('STACK');
    expect(subjectPartition({ endpoint: 'a.b' })).toBe('ENDPOINT#a%2Eb');
    expect(subjectPartition({ process })).toBe('W#e%2Eu#P#on%20boarding');
  });

  it('tells its process, if it is of one', () => {
    expect(processOf('W#e%2Eu#P#on%20boarding')).toEqual(process);
    for (const odd of ['\ud800', 'a#P#b', '%u00FF', '%', 'ü.🎉', '\ud83c\ud83c\udf89', ' \0'])
      for (const key of [
        { workspace: odd, processId: 'p' },
        { workspace: 'eu', processId: odd },
      ])
        expect(processOf(partition(key))).toEqual(key);
    for (const other of ['', 'STACK', 'ENDPOINT#W#a#P#b', 'W#eu', 'W#eu#P#p#q', 'xW#eu#P#p'])
      expect(processOf(other), other).toBeUndefined();
  });
});
