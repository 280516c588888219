import {
  DescribeTableCommand,
  type GetItemCommand,
  PutItemCommand,
  RestoreTableToPointInTimeCommand,
} from '@aws-sdk/client-dynamodb';
import type { LambdaClient } from '@aws-sdk/client-lambda';
import { describe, expect, it } from 'vitest';
import type { World } from '../../cli/context/world.ts';
import { stackTable } from '../../cli/restore/stack-table.ts';
import { MIN_READ_LAYOUT, TABLE_LAYOUT } from '../../functions/store/dynamo/layout.ts';
import { getItem } from '../../functions/store/dynamo/requests.ts';
import { LAYOUT_KEY } from '../../functions/store/keys.ts';
import { run, type Setting } from '../kit/cli/world.ts';
import { openModel } from '../kit/table.ts';
import { modelClient, TableModel } from '../simulation/models/table.ts';

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
    const place = { stack: 'Changewire', region: 'eu-central-1' };
    expect([code, asked]).toEqual([0, [place, { at: '2026-11-20T08:00:00.000Z' }]]);
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
    [
      `--at ${AT} --yes`,
      /use --stack NAME and --region REGION, without --data\..*npx changewire restore DIR/,
    ],
    [`--at ${AT} --yes --data here ${PLACE}`, /without --data/],
    [`--at ${AT} ${PLACE}`, /not running in a terminal\. Use --yes, or --dry-run to preview/],
    [`--at 2h --yes ${PLACE}`, /Expected a time with its time zone, such as 2026-01-31T08:00:00Z\./],
    [`--at 2026-11-20T08:00 --yes ${PLACE}`, /Expected a time with its time zone/],
    [`--at 2026-02-30T08:00:00Z --yes ${PLACE}`, /Expected a time with its time zone/],
  ])('refuses "%s" before anybody is asked', async (line, message) => {
    const { code, out, err, asked } = await restoring(line);
    expect([code, out, asked]).toEqual([2, '', []]);
    expect(err).toMatch(message);
  });
});

const RESTORED_AT = '2026-11-20T08:00:00.000Z';
const MADE = 'changewire-20261120T080000';

/** An account: the stack `S` with its table, other tables, and a DynamoDB that takes three questions to make the table of a time. */
function account(others: Readonly<Record<string, TableModel>> = {}) {
  const { model, ...to } = openModel();
  const tables: Record<string, TableModel> = { [to.tableName]: model, ...others };
  const did: string[] = [];
  let asked = 0;
  const dynamodb = modelClient(async command => {
    if (command instanceof RestoreTableToPointInTimeCommand) {
      did.push(`make ${command.input.TargetTableName}`);
      throw Object.assign(new Error('is there'), { name: 'TableAlreadyExistsException' });
    }
    if (command instanceof DescribeTableCommand) {
      asked += 1;
      return { Table: { TableStatus: asked < 3 ? 'CREATING' : 'ACTIVE' } };
    }
    const { TableName = '' } = (command as GetItemCommand).input;
    return (tables[TableName] ?? model).run(command);
  });
  const lambda = {
    send: async ({ input }: { input: { FunctionName: string } }) => {
      if (input.FunctionName !== 'S-operate')
        throw Object.assign(new Error('none'), { name: 'ResourceNotFoundException' });
      return { Environment: { Variables: { TABLE_NAME: to.tableName } } };
    },
  } as unknown as LambdaClient;
  const waits: number[] = [];
  const sleep = async (ms: number) => void waits.push(ms);
  const open = (stack = 'S', signal = new AbortController().signal) =>
    stackTable(stack, { dynamodb, lambda, region: 'r', sleep, signal });
  return { open, to: { ...to, client: dynamodb }, model, did, waits };
}

/** A table that holds a layout, and nothing else. */
function ofLayout(version: number | undefined, name = MADE): TableModel {
  const model = new TableModel(name);
  const Item = { ...LAYOUT_KEY, version: { N: String(version) } };
  if (version !== undefined) model.run(new PutItemCommand({ TableName: name, Item }));
  return model;
}

describe("a stack's table", () => {
  it('is found by the stack, or it is said that there is none', async () => {
    const { open } = account();
    expect(await open()).toMatchObject({ name: 'changewire', region: 'r' });
    await expect(open('T')).rejects.toThrow(
      'The Changewire stack T does not exist in r in the account of your credentials. Check --stack and --region.',
    );
  });

  it('is restored from the one that an earlier run had made, once that is there', async () => {
    const { open, did, waits } = account({ [MADE]: ofLayout(TABLE_LAYOUT) });
    const table = await open();
    expect(await table.restore({ at: RESTORED_AT }, () => undefined)).toBe(MADE);
    expect([did, waits]).toEqual([[`make ${MADE}`], [5_000, 5_000]]);
  });

  it('is restored from one of an earlier layout, which is left as it is', async () => {
    const model = ofLayout(MIN_READ_LAYOUT, 'other');
    const before = [...model.items()];
    const table = await account({ other: model }).open();
    expect(await table.restore({ from: 'other' }, () => undefined)).toBe('other');
    expect([...model.items()]).toEqual(before);
  });

  it.each([
    [TABLE_LAYOUT + 1, `layout ${TABLE_LAYOUT + 1}; this version supports layout ${TABLE_LAYOUT} only`],
    [MIN_READ_LAYOUT - 1, `layout ${MIN_READ_LAYOUT - 1}; this version supports layout ${TABLE_LAYOUT} only`],
    [undefined, 'is not a Changewire table, or was not one at that time'],
  ])('is not restored from a table of layout %s, which is left as it is', async (version, told) => {
    const model = ofLayout(version, 'other');
    const before = [...model.items()];
    const table = await account({ other: model }).open();
    await expect(table.restore({ from: 'other' }, () => undefined)).rejects.toThrow(told);
    expect([...model.items()]).toEqual(before);
  });

  it('of another layout is left as it is', async () => {
    const { open, to, did } = account({ [MADE]: ofLayout(TABLE_LAYOUT) });
    const Item = { ...LAYOUT_KEY, version: { N: String(TABLE_LAYOUT + 1) } };
    await to.client.send(new PutItemCommand({ TableName: to.tableName, Item }));
    await expect((await open()).restore({ at: RESTORED_AT }, () => undefined)).rejects.toThrow(
      `The table changewire has layout ${TABLE_LAYOUT + 1}`,
    );
    expect(did).toEqual([]);
    expect(await getItem(to, LAYOUT_KEY)).toEqual(Item);
  });
});
