import { Duration } from 'aws-cdk-lib';
import { MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import { counted } from './conditions.ts';
import type { OperatorAlarm } from './operator-alarm.ts';
import { ownMetric } from './own-metric.ts';

/** The alarms about the processes, however many there are; which one it is about stands in `status`. */
export function processAlarms(name: string): OperatorAlarm[] {
  return [late(name), held(name), skipped(name), tickSilent(name)];
}

/** Tick counts a process as late when none of its passes was completed for 5 intervals. When it counts
 *  that for 5 minutes, it is more than one slow pass. */
function late(name: string): OperatorAlarm {
  return {
    name: 'processes late',
    happened:
      'For 5 minutes at least one process was late: none of its passes was completed for 5 intervals, or no sweep for two.',
    means:
      'Changes in these processes are not told at present, or deletions. None is lost: the next pass that succeeds tells them.',
    first: {
      ask: 'status',
      see: 'it names each process that is late; npx changewire logs poll says what failed. If the service is down there is nothing to do.',
    },
    ...counted(name, 'ProcessesLate', 5),
  };
}

function held(name: string): OperatorAlarm {
  return {
    name: 'processes held',
    happened: 'A sweep missed more than max(10, 20 %) of the projects of a process.',
    means:
      'Either somebody deleted many projects, or the service shows too little. No deletion of this process is told until you decide; other changes go on.',
    first: {
      ask: 'status',
      see: 'it names the process on hold. Ask its owner whether the projects are really gone: if so, npx changewire release it; if not, do nothing.',
    },
    ...counted(name, 'ProcessesOnHold'),
  };
}

function skipped(name: string): OperatorAlarm {
  return {
    name: 'projects skipped',
    happened: "At least one project can't be read or committed. Subscribers got source.skipped.",
    means:
      'Changes in these projects are late, none is lost; all others are told. Each pass tries them again, and the alarm ends by itself. It can wait until the morning.',
    first: {
      ask: 'status',
      see: 'it names the projects that a process owes, and why. Mostly the credentials may not read them.',
    },
    ...counted(name, 'ProcessesWithRechecks'),
  };
}

/** Each tick that gets to its end writes how old the oldest pass is. If that is missing for five of the
 *  last ten minutes, more is wrong than one tick that was late or failed.
 *
 *  The difference is 1 in a minute without a tick that follows one with a tick, 0 in a minute with a
 *  tick, and has no data where there was no tick before, or none in all of the ten minutes; then the
 *  alarm's state stays as it is. So the alarm is silent in a first deployment until its first tick; and
 *  once ticks have stopped, it goes on until one comes again (decision 0094). A first tick that never
 *  comes is reported by `tick failing`. */
function tickSilent(name: string): OperatorAlarm {
  return {
    name: 'tick silent',
    happened:
      'No run of the tick function came to its end in 5 of 10 minutes: it fails, or nothing starts it.',
    means:
      'No process is polled, what waits for endpoints goes on waiting, and no other count of this stack is taken. Nothing is lost: the next tick makes up for it.',
    first: {
      ask: 'logs tick --since 15m',
      see: 'without errors, failed-messages list unstarted says why it was not started, if its schedule is enabled.',
    },
    metric: new MathExpression({
      expression: 'FILL(ticks, REPEAT) - FILL(ticks, 0)',
      label: 'Minutes without a tick that came to its end',
      usingMetrics: { ticks: ownMetric(name, 'OldestPassAge', 'SampleCount') },
      period: Duration.minutes(1),
    }),
    ...{ threshold: 1, points: 5, of: 10, missing: 'ignored' },
  };
}
