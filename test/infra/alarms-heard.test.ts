import { describe, expect, test } from 'vitest';
import { type AlarmDefinition, type Datum, statesOf } from '../kit/infra/alarm-model.ts';
import { resources, testTemplate } from '../kit/infra/synthesise.ts';

const alarms = resources(testTemplate(), 'AWS::CloudWatch::Alarm').map(
  ([, alarm]) => alarm as unknown as AlarmDefinition,
);

/** What is played: minutes from the creation of the stack, and what is written in which. */
const HOUR = 60;
const AGE = 'ApproximateAgeOfOldestMessage';
const between = (from: number, to: number, metric: string, value = 1, of?: string): Datum[] =>
  Array.from({ length: to - from }, (_, index) => ({ metric, of, value, minute: from + index }));
const ticks = (from: number, to: number): Datum[] => between(from, to, 'OldestPassAge', 30);
/** Function and stream at work, with nothing to tell of. */
const quiet = (from = 0, to = HOUR): Datum[] => [
  ...ticks(from, to),
  ...['Poll', 'Publish', 'Route', 'Deliver', 'Tick'].flatMap(of => [
    ...between(from, to, 'Errors', 0, of),
    ...between(from, to, 'Throttles', 0, of),
  ]),
  ...between(from, to, 'IteratorAge', 500, 'Publish'),
  ...['Events', 'Deliveries', 'Chat'].flatMap(of => between(from, to, AGE, 2, of)),
];

/** Which alarms ring at some time, and how many minutes after `since` each began. */
function heard(data: readonly Datum[], since = 0): Record<string, number> {
  return Object.fromEntries(
    alarms.flatMap(alarm => {
      const first = statesOf(alarm, data, HOUR).indexOf('ALARM');
      return first < 0 ? [] : [[alarm.AlarmName.replace('Changewire: ', ''), first + 1 - since]];
    }),
  );
}

/** Which still ring at the end. */
const ringing = (data: readonly Datum[], minutes = HOUR): string[] =>
  alarms.flatMap(alarm =>
    statesOf(alarm, data, minutes).at(-1) === 'ALARM' ? [alarm.AlarmName.replace('Changewire: ', '')] : [],
  );

describe('each alarm, and no other, is heard of its cause', () => {
  const without = (metric: string, of: string, from: number) =>
    quiet().filter(each => !(each.metric === metric && each.of === of && each.minute >= from));
  const growing = (metric: string, of: string, step: number): Datum[] =>
    Array.from({ length: 40 }, (_, n) => ({ metric, of, minute: 20 + n, value: n * step }));
  /** A metric of Changewire itself has a value from minute 20 on, and an alarm begins so many minutes later. */
  const metrics: [alarm: string, metric: string, minutes: number, value?: number][] = [
    ['processes late', 'ProcessesLate', 5],
    ['processes late', 'ProcessesLate', 5, 4_000],
    ['processes on hold', 'ProcessesOnHold', 1],
    ['projects skipped', 'ProcessesWithRechecks', 1, 3],
    ['reading stopped', 'ReadingStopped', 5],
    ['failed messages', 'FailedMessages', 1],
    ['endpoints failing', 'EndpointsFailing', 1],
    ['subscriptions unconfirmed', 'SubscriptionsUnconfirmed', 15],
    ['subscriptions undelivered', 'SubscriptionsUndelivered', 1],
  ];
  const causes: [name: string, cause: string, data: Datum[], minutes: number][] = [
    ...metrics.map(([name, metric, minutes, value = 1]): [string, string, Datum[], number] => {
      const data = [...quiet(), ...between(20, HOUR, metric, value)];
      return [name, `${metric} is ${value}`, data, minutes];
    }),
    ['endpoint stopped', 'an endpoint answers 410', [...quiet(), ...between(20, 21, 'EndpointStopped')], 1],
    ['deliveries dead', 'after three days', [...quiet(), ...between(20, 21, 'DeliveriesDead', 40)], 1],
    [
      'tick silent',
      'the schedule is disabled',
      [...quiet(0, 20), ...quiet(20).filter(each => each.metric !== 'OldestPassAge' && each.of !== 'Tick')],
      5,
    ],
    [
      'tick failing',
      'no run of the tick function has succeeded since the first deployment',
      between(20, HOUR, 'Errors', 1, 'Tick'),
      15,
    ],
    [
      'invocations throttled',
      'the account has no room',
      [...without('Throttles', 'Poll', 20), ...between(20, HOUR, 'Throttles', 2, 'Poll')],
      15,
    ],
    [
      'publish delayed',
      'SNS refuses',
      [...without('IteratorAge', 'Publish', 20), ...growing('IteratorAge', 'Publish', 60_000)],
      15,
    ],
    ...['Events', 'Deliveries', 'Chat'].map((of): [string, string, Datum[], number] => [
      'queues delayed',
      `nothing of ${of} is settled: the function fails, or is throttled`,
      [...without(AGE, of, 20), ...growing(AGE, of, 60)],
      12,
    ]),
    ['queues delayed', 'one queue alone is used', between(20, HOUR, AGE, 700, 'Deliveries'), 2],
    [
      'queues delayed',
      'messages that SQS no longer counts, because each run fails, come again every 18 minutes',
      [...quiet(), ...[30, 48].map(minute => ({ metric: 'OldestRetry', minute, value: 600 }))],
      29,
    ],
  ];

  test.each(causes)('%s: %s', (name, _cause, data, minutes) => {
    expect(heard(data, 20)).toEqual({ [name]: minutes });
  });

  test('but of a tick that fails for a quarter of an hour two, as silent and as failing', () => {
    const failing = [...ticks(0, 20), ...between(20, HOUR, 'Errors', 1, 'Tick')];
    expect(heard(failing, 20)).toEqual({ 'tick silent': 5, 'tick failing': 15 });
    const errors = failing.filter(({ metric }) => metric === 'Errors');
    expect(heard(errors, 20)).toEqual({ 'tick failing': 15 });
  });

  test('all of them are', () => {
    expect(new Set(causes.map(([name]) => name)).size).toBe(alarms.length);
  });
});

describe('no alarm is heard', () => {
  test.each<[string, Datum[]]>([
    ['of a stack with nothing to tell of', quiet()],
    ['of a stack in which nobody changes anything: tick alone runs', ticks(0, HOUR)],
    ['of a first deployment, before its first tick', []],
    ['of a first deployment whose first tick comes after 15 minutes', ticks(15, HOUR)],
    [
      'of a baseline of an hour: passes that end, and none is late',
      [...quiet(2), ...between(0, HOUR, AGE, 0, 'Events')],
    ],
    [
      'of a pass that fails, is late for 3 minutes, and is made up for',
      [...quiet(), ...between(20, 23, 'ProcessesLate')],
    ],
    ['of a run that fails once', [...quiet(), { metric: 'Errors', of: 'Poll', minute: 20, value: 1 }]],
    ['of runs that fail for ten minutes', [...quiet(), ...between(20, 30, 'Errors', 2, 'Tick')]],
    [
      'of a peak that is throttled for ten minutes',
      [...quiet(), ...between(20, 30, 'Throttles', 50, 'Poll')],
    ],
    [
      'of an endpoint that is down, known, and tried again: its deliveries fail',
      [...quiet(), ...between(20, HOUR, 'DeliveryFailed', 30)],
    ],
    ['of a tick that fails four times in a row', [...ticks(0, 20), ...ticks(24, HOUR)]],
    ['of metrics that are two minutes late, each time', ticks(0, HOUR - 2)],
    [
      'of mappings that a deployment updates for 4 minutes',
      [...quiet(), ...between(20, 24, 'ReadingStopped')],
    ],
    [
      'of a handshake that is answered after 14 minutes',
      [...quiet(), ...between(20, 34, 'SubscriptionsUnconfirmed')],
    ],
    [
      'of a queue that is 20 minutes old for a moment',
      [...quiet(), { metric: AGE, of: 'Events', minute: 20, value: 1_200 }],
    ],
    ['of the lag of events', [...quiet(), ...between(0, HOUR, 'FirstAttemptLag', 900_000)]],
    ['of another stack of the region', between(0, HOUR, 'FailedMessages', 1, 'Other')],
  ])('%s', (_what, data) => {
    expect(heard(data)).toEqual({});
  });
});

describe('an alarm', () => {
  const over = (metric: string) => [...quiet(0, 2 * HOUR), ...between(20, HOUR, metric)];

  test.each([
    'ProcessesLate',
    'ProcessesOnHold',
    'ProcessesWithRechecks',
    'ReadingStopped',
    'FailedMessages',
    'EndpointsFailing',
    'SubscriptionsUnconfirmed',
  ])('ends when its cause is gone, for the metric is missing then: %s', metric => {
    expect(ringing(over(metric))).toHaveLength(1);
    expect(ringing(over(metric), HOUR + 10)).toEqual([]);
  });

  test.each(['ProcessesOnHold', 'ProcessesLate'])('goes on over a tick that was missed: %s', metric => {
    const data = over(metric).filter(({ minute }) => minute % 10 !== 5);
    const [alarm] = alarms.filter(({ MetricName }) => MetricName === metric) as [AlarmDefinition];
    const states = statesOf(alarm, data, HOUR);
    expect(states.slice(states.indexOf('ALARM'))).not.toContain('OK');
  });

  test('of a silent tick goes on until a tick comes again, however long that takes', () => {
    expect(ringing(ticks(0, 20), 5 * HOUR)).toEqual(['tick silent']);
    expect(ringing([...ticks(0, 20), ...ticks(4 * HOUR, 5 * HOUR)], 5 * HOUR)).toEqual([]);
  });

  test('of what happened once ends with its minute, so that the next is heard, too', () => {
    const twice = [...quiet(), ...between(20, 21, 'EndpointStopped'), ...between(22, 23, 'EndpointStopped')];
    const alarm = alarms.find(({ MetricName }) => MetricName === 'EndpointStopped') as AlarmDefinition;
    const changes = statesOf(alarm, twice, HOUR).filter((state, minute, all) => state !== all[minute - 1]);
    expect(changes).toEqual(['OK', 'ALARM', 'OK', 'ALARM', 'OK']);
  });
});
