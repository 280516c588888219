import { describe, expect, it } from 'vitest';
import type { World } from '../../cli/context/world.ts';
import { run, type Setting } from '../kit/cli/world.ts';

const AT = '2026-11-20T08:00:00Z';
const PLACE = '--stack Changewire --region eu-central-1';

/** Runs the command against a stack's table that tells what it is asked. */
async function restoring(line: string, setting: Setting = {}) {
  const asked: object[] = [];
  const stackTable: World['stackTable'] = async place => {
    asked.push({ ...place });
    return {
      ...{ name: 'Table', region: 'eu-central-1' },
      restore: async (source, say) => {
        asked.push(source);
        say('eu/launch: as it was, with 3 projects.');
        return 'at' in source ? 'Table-20261120T080000' : source.from;
      },
    };
  };
  return { ...(await run(['restore-table', ...line.split(' ')], { stackTable, ...setting })), asked };
}

describe('changewire restore-table', () => {
  it('restores after a yes, says how far it is, and what is left to do', async () => {
    const { code, out, err, asked } = await restoring(`--at ${AT} ${PLACE}`, { says: true });
    expect([code, asked]).toEqual([
      0,
      [{ stack: 'Changewire', region: 'eu-central-1' }, { at: '2026-11-20T08:00:00.000Z' }],
    ]);
    expect(err).toBe(
      'Table: its processes would know again what they knew at 2026-11-20T08:00:00.000Z. ' +
        'What changed since is told again; endpoints and events stay.\n' +
        'Do it?\n' +
        'DynamoDB makes the table of 2026-11-20T08:00:00.000Z: minutes, with much in it hours.\n' +
        'eu/launch: as it was, with 3 projects.\n',
    );
    expect(out).toBe(
      'Table is restored. When it is as it should be: ' +
        'aws dynamodb delete-table --region eu-central-1 --table-name Table-20261120T080000\n',
    );
  });

  it('asks nothing with --yes, and takes a table that was restored already', async () => {
    const { code, out, err, asked } = await restoring(`--from Earlier --yes --json ${PLACE}`);
    expect([code, asked.at(-1)]).toEqual([0, { from: 'Earlier' }]);
    expect(err).toBe('eu/launch: as it was, with 3 projects.\n');
    expect(JSON.parse(out)).toEqual({ table: 'Table', restoredFrom: 'Earlier' });
  });

  it('does nothing after a no, nor with --dry-run', async () => {
    const no = await restoring(`--at ${AT} ${PLACE}`, { says: false });
    expect([no.code, no.out, no.asked.length]).toEqual([1, '', 1]);
    expect(no.err).toMatch(/Nothing was done\.\n$/);
    const dry = await restoring(`--from Earlier --dry-run --json ${PLACE}`);
    expect([dry.code, dry.err, dry.asked.length]).toEqual([0, '', 1]);
    expect(JSON.parse(dry.out)).toEqual({ table: 'Table', from: 'Earlier', dryRun: true });
  });

  it.each([
    [`${PLACE} --yes`, /Restored as it was when\? Say --at TIME, such as --at 2026-01-31T08:00:00Z\./],
    [`--at ${AT} --yes`, /say --stack NAME and --region REGION, and no --data\..*docs\/self-hosting\.md/],
    [`--at ${AT} --yes --data here ${PLACE}`, /and no --data/],
    [`--at ${AT} ${PLACE}`, /nobody is there to be asked: say --yes, or look first with --dry-run/],
    [`--at 2h --yes ${PLACE}`, /It takes a time with its zone, such as 2026-01-31T08:00:00Z\./],
    [`--at 2026-11-20T08:00 --yes ${PLACE}`, /It takes a time with its zone/],
    [`--at 2026-31-20T08:00:00Z --yes ${PLACE}`, /It takes a time with its zone/],
  ])('refuses "%s" before anybody is asked', async (line, message) => {
    const { code, out, err, asked } = await restoring(line);
    expect([code, out, asked]).toEqual([2, '', []]);
    expect(err).toMatch(message);
  });
});
