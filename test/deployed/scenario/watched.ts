import assert from 'node:assert/strict';
import type { Snapshots } from '../../../functions/store/store.ts';
import { CONTRACT } from '../config.ts';
import { until } from '../until.ts';
import type { World } from '../world.ts';

const FUNCTIONS = ['Poll', 'Publish', 'Route', 'Deliver', 'Tick'] as const;

interface Alarm {
  readonly AlarmName: string;
  readonly Namespace?: string;
  readonly MetricName?: string;
  readonly Dimensions?: readonly { readonly Name: string; readonly Value: string }[];
}

/** What the functions say of themselves, as those who watch them look for it. */
export async function watched(world: World): Promise<void> {
  world.report.part('Watching');
  await followed(world);
  await heldIsHeard(world);
}

/** The query that the stack gives people. */
async function followed({ report, aws, stack, everything, own }: World): Promise<void> {
  const eventId = everything.events.events.at(-1)?.id ?? '';
  await report.check("the stack's query follows one event through every function", () =>
    until(30, async () => {
      const [{ QueryString } = {}] = stack.resources('AWS::Logs::QueryDefinition');
      const groups = FUNCTIONS.map(name => stack.output(`${name}Logs`));
      const rows = await aws.query(groups, String(QueryString).replace('{{eventId}}', eventId));
      const messages = rows.map(row => row['@message'] ?? '');
      for (const message of messages) assert.ok(message.includes(eventId), message);
      const lines = messages.map(message => String(JSON.parse(message).message));
      assert.ok(new Set(lines).size >= (own ? 4 : 3), lines.join(', '));
      return [...new Set(lines)].join(' ');
    }),
  );
}

/** A process is put on hold, as by a sweep that missed most of it; the part about the command releases it. */
async function heldIsHeard({ report, aws, stack }: World): Promise<void> {
  const began = Date.now();
  await hold(aws.snapshots(stack.output('TableName')));
  await report.check('tick writes the metric that the alarm of held processes watches', () =>
    until(90, async () => {
      const alarms = stack.resources('AWS::CloudWatch::Alarm') as unknown as Alarm[];
      const alarm = alarms.find(({ AlarmName }) => AlarmName === `${stack.name}: processes on hold`);
      const [line = ''] = await aws.logged(stack.output('TickLogs'), 'ProcessesOnHold', began);
      const { _aws, ...values } = JSON.parse(line);
      const [metrics] = _aws.CloudWatchMetrics;
      assert.equal(metrics.Namespace, alarm?.Namespace);
      assert.equal(values[alarm?.MetricName ?? ''], 1);
      const dimensions = alarm?.Dimensions ?? [];
      assert.deepEqual(metrics.Dimensions, [dimensions.map(({ Name }) => Name)]);
      for (const { Name, Value } of dimensions) assert.equal(values[Name], Value);
    }),
  );
}

async function hold(snapshots: Snapshots): Promise<void> {
  const [, process] = CONTRACT;
  const { announced } = await snapshots.readState(process);
  const at = Date.now();
  const state = { baselined: true, hold: { since: at, missing: 12 }, released: false };
  const request = { events: [], version: Math.max(announced + 1, at), at };
  assert.equal(await snapshots.announce(process, { announced, state, request }), 'committed');
}
