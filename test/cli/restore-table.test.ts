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
      restore: async (source, report) => {
        asked.push(source);
        report('eu/launch: restored 3 projects.');
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
      'Would roll all processes in Table back to their state at 2026-11-20T08:00:00.000Z. ' +
        'Changes since then are published again; endpoints and events are kept.\n' +
        'Continue?\n' +
        'DynamoDB is restoring the table as of 2026-11-20T08:00:00.000Z. This takes minutes, or hours for a large table.\n' +
        'eu/launch: restored 3 projects.\n',
    );
    expect(out).toBe(
      'Restored Table. After checking the result, delete the copy: ' +
        'aws dynamodb delete-table --region eu-central-1 --table-name Table-20261120T080000\n',
    );
  });

  it('asks nothing with --yes, and takes a table that was restored already', async () => {
    const { code, out, err, asked } = await restoring(`--from Earlier --yes --json ${PLACE}`);
    expect([code, asked.at(-1)]).toEqual([0, { from: 'Earlier' }]);
    expect(err).toBe('eu/launch: restored 3 projects.\n');
    expect(JSON.parse(out)).toEqual({ table: 'Table', restoredFrom: 'Earlier' });
  });

  it('does nothing after a no, nor with --dry-run', async () => {
    const no = await restoring(`--at ${AT} ${PLACE}`, { says: false });
    expect([no.code, no.out, no.asked.length]).toEqual([1, '', 1]);
    expect(no.err).toMatch(/Cancelled\.\n$/);
    const dry = await restoring(`--from Earlier --dry-run --json ${PLACE}`);
    expect([dry.code, dry.err, dry.asked.length]).toEqual([0, '', 1]);
    expect(JSON.parse(dry.out)).toEqual({ table: 'Table', from: 'Earlier', dryRun: true });
  });

  it.each([
    [`${PLACE} --yes`, /Specify the time with --at TIME, such as --at 2026-01-31T08:00:00Z\./],
    [`--at ${AT} --yes`, /use --stack NAME and --region REGION, without --data\..*docs\/self-hosting\.md/],
    [`--at ${AT} --yes --data here ${PLACE}`, /without --data/],
    [`--at ${AT} ${PLACE}`, /not running in a terminal\. Use --yes, or --dry-run to preview/],
    [`--at 2h --yes ${PLACE}`, /Expected a time with its time zone, such as 2026-01-31T08:00:00Z\./],
    [`--at 2026-11-20T08:00 --yes ${PLACE}`, /Expected a time with its time zone/],
    [`--at 2026-31-20T08:00:00Z --yes ${PLACE}`, /Expected a time with its time zone/],
  ])('refuses "%s" before anybody is asked', async (line, message) => {
    const { code, out, err, asked } = await restoring(line);
    expect([code, out, asked]).toEqual([2, '', []]);
    expect(err).toMatch(message);
  });
});
