import { describe, expect, it } from 'vitest';
import type { RequestOf } from '../../functions/operations/protocol/requests.ts';
import { NOW, run } from '../kit/cli/world.ts';

const at = new Date(NOW).toISOString();
const PROJECT = 'projects/7';

const NO_DELIVERIES = { delivered: 0, waiting: 0, dead: 0, unknown: 0, missing: [] };

const changeOf = (version: number, from: string | null, to: string) => ({
  ...{ event: `launch.7.${version}.0`, record: PROJECT, version, fields: [['name', from, to]] },
  action: version === 1 ? 'created' : 'updated',
});

/** A process whose journal has these changes, in slices of one, and whose project has this name. */
function answersOf(changes: readonly ReturnType<typeof changeOf>[], name: string) {
  return ({ part, process, cursor = '0' }: RequestOf<'verify'>) => {
    const head = { workspace: 'eu', process, at, isBaselined: true };
    if (part === 'deliveries') return { ...head, changes: [], snapshots: [], deliveries: NO_DELIVERIES };
    if (part === 'snapshots')
      return {
        ...{ ...head, changes: [] },
        snapshots: [{ project: '7', version: 9, records: [[PROJECT, [['name', name]]]] }],
      };
    const next = Number(cursor) + 1;
    return {
      ...{ ...head, changes: changes.slice(next - 1, next), snapshots: [], readTo: at },
      ...(next < changes.length && { cursor: String(next) }),
    };
  };
}

const CHAIN = [changeOf(1, 'null', '"a"'), changeOf(2, '"a"', '"b"')];
const STATUS = {
  ...{ at, deployment: 'run', isRunning: true, endpoints: [] },
  processes: [
    { workspace: 'eu', process: 'launch', state: 'healthy' },
    { workspace: 'eu', process: 'gone', state: 'removed' },
    { workspace: 'us', process: 'sales', state: 'healthy' },
  ],
};

describe('verify', () => {
  it('reads the slices of each configured process, and reports that nothing differs', async () => {
    const { code, out, err, asked } = await run(['verify'], {
      answers: { status: STATUS, verify: answersOf(CHAIN, '"b"') },
    });
    expect([code, err]).toEqual([0, '']);
    expect(out.split('\n')).toEqual([
      'PROCESS    EVENTS  FIELDS  PROJECTS  RESULT',
      'eu/launch  2       1       1         ok',
      'eu/sales   2       1       1         ok',
      '',
    ]);
    expect(asked.filter(({ operation }) => operation === 'verify')).toHaveLength(8);
  });

  it('ends with 1 and names the first values that differ', async () => {
    const { code, out } = await run(['verify', '--process', 'launch'], {
      answers: { verify: answersOf([...CHAIN, changeOf(4, '"c"', '"d"')], '"e"') },
    });
    expect(code).toBe(1);
    expect(out.split('\n')).toEqual([
      'PROCESS    EVENTS  FIELDS  PROJECTS  RESULT',
      'eu/launch  3       1       1         2 mismatches',
      '',
      'eu/launch',
      '  projects/7, name:',
      '    event launch.7.2.0 left "b"',
      '    event launch.7.4.0 has from "c"',
      '  projects/7, name:',
      '    event launch.7.4.0 left "d"',
      '    the snapshot has "e"',
      '',
    ]);
  });

  it('counts deliveries by state, and looks once more, after the attempts are saved, for those without a trace', async () => {
    const missing = [{ event: 'launch.7.2.0', endpoint: 'crm' }];
    const deliveries = { ...NO_DELIVERIES, delivered: 5, waiting: 2, dead: 1, missing };
    const read = answersOf(CHAIN, '"b"');
    const slept: number[] = [];
    const { code, out } = await run(['verify', '--process', 'launch'], {
      answers: {
        verify: (asked: RequestOf<'verify'>) => ({
          ...read(asked),
          ...(asked.part === 'deliveries' && { deliveries }),
        }),
        trace: {
          endpoints: [
            { endpoint: 'chat', isWanted: true, state: 'delivered', attempts: [] },
            { endpoint: 'crm', isWanted: true, state: 'unknown', attempts: [] },
          ],
        },
      },
      sleep: async ms => void slept.push(ms),
    });
    expect(slept).toEqual([30_000]);
    expect(code).toBe(1);
    expect(out.split('\n')).toEqual([
      'PROCESS    EVENTS  FIELDS  PROJECTS  DELIVERIES                      RESULT',
      'eu/launch  2       1       1         5 delivered, 2 waiting, 1 dead  1 mismatch',
      '',
      'eu/launch',
      '  launch.7.2.0: no trace of its delivery to crm',
      '',
    ]);
  });

  it('prints a line of JSON for each process', async () => {
    const { code, out } = await run(['verify', '--json', '--workspace', 'us'], {
      answers: { status: STATUS, verify: answersOf(CHAIN, '"c"') },
    });
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({
      ...{ process: 'sales', events: 2, fields: 1, records: 1, projects: 1, unsettled: 0 },
      mismatches: [{ record: PROJECT, field: 'name', expected: '"b"', found: '"c"', after: 'launch.7.2.0' }],
    });
  });

  it('notes its progress while it reads', async () => {
    let now = NOW;
    const { err } = await run(['verify', '--process', 'launch'], {
      answers: { verify: answersOf(CHAIN, '"b"') },
      clock: () => (now += 1_000),
    });
    expect(err).toBe(`launch: read 2 events, up to ${at}\nlaunch: found 0 deliveries, up to the beginning\n`);
  });

  it('ends with 0 if a project has another snapshot in each reading, which it reports', async () => {
    let version = 10;
    const read = answersOf(CHAIN, '"c"');
    const { code, out } = await run(['verify', '--process', 'launch'], {
      answers: {
        verify: (asked: RequestOf<'verify'>) => {
          const answer = read(asked);
          return { ...answer, snapshots: answer.snapshots.map(one => ({ ...one, version: version++ })) };
        },
      },
    });
    expect(code).toBe(0);
    expect(out).toContain('1 project changing too often to compare');
  });

  it('compares with the service, too, if asked to, and waits before it reads again what differs', async () => {
    const read = answersOf(CHAIN, '"b"');
    const differences = [
      { record: PROJECT, field: 'name', service: '"c"', snapshot: '"b"' },
      { record: 'projects/8', service: 'absent', snapshot: 'present' },
    ];
    const slept: number[] = [];
    const { code, out, err } = await run(['verify', '--process', 'launch', '--service'], {
      answers: {
        verify: (asked: RequestOf<'verify'>) =>
          asked.part === 'service'
            ? {
                ...{ workspace: 'eu', process: 'launch', at, isBaselined: true, changes: [], snapshots: [] },
                service: { projects: 2, unreadable: [], differences },
              }
            : read(asked),
      },
      sleep: async ms => void slept.push(ms),
    });
    expect([code, slept]).toEqual([1, [90_000, 90_000]]);
    expect(err).toContain('launch: the service differs; reading that again in 90 s\n');
    expect(out.split('\n')).toEqual([
      'PROCESS    EVENTS  FIELDS  PROJECTS  SERVICE     RESULT',
      'eu/launch  2       1       1         2 projects  2 mismatches',
      '',
      'eu/launch',
      '  projects/7, name:',
      '    in the service: "c", in the snapshot: "b"',
      '  projects/8:',
      '    in the service: absent, in the snapshot: present',
      '  "changewire sweep launch" reads all of it now.',
      '',
    ]);
  });
});
