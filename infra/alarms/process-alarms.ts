import { Duration } from 'aws-cdk-lib';
import { MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import { counted } from './conditions.ts';
import type { OperatorAlarm } from './operator-alarm.ts';
import { ownMetric } from './own-metric.ts';

/** The alarms about the processes. One alarm covers all processes; `status` names those it is about. */
export function processAlarms(name: string): OperatorAlarm[] {
  return [late(name), onHold(name), skipped(name), tickSilent(name)];
}

/** A process is late when it completed no pass for 5 intervals. Five minutes of that is more than one slow pass. */
function late(name: string): OperatorAlarm {
  return {
    name: 'processes late',
    happened:
      'For 5 minutes at least one process has been late: it completed no pass for 5 intervals, or no sweep for two.',
    means:
      'Receivers get changes of these processes late, or only their deletions. None is lost: the next pass that succeeds emits them.',
    first: {
      ask: 'status',
      see: 'find the late processes, then the error in `logs poll --since 1h`. If the service is down, wait: passes continue by themselves.',
    },
    ...counted(name, 'ProcessesLate', 5),
  };
}

function onHold(name: string): OperatorAlarm {
  return {
    name: 'processes on hold',
    happened: 'More than max(10, 20 %) of the projects of a process were missing from a sweep.',
    means:
      'They were deleted, or the service shows too few. Receivers get no deletions of this process until you decide; they get all other changes. It can wait until the morning; a release cannot be undone.',
    first: {
      ask: 'status',
      see: 'find the process on hold, and ask its owner whether the projects were deleted. If they were, run `release PROCESS`. If not, do nothing: the hold ends when the projects are back.',
    },
    ...counted(name, 'ProcessesOnHold'),
  };
}

function skipped(name: string): OperatorAlarm {
  return {
    name: 'projects skipped',
    happened:
      'At least one project could not be read or committed in two passes. Subscribers got source.skipped.',
    means:
      'Receivers get changes of these projects late; none is lost. Other projects are not affected. Each pass tries again, and the alarm ends by itself. It can wait until the morning.',
    first: {
      ask: 'status',
      see: 'it lists the first pending projects of each process with the reason. Often the credentials lack permission to read them.',
    },
    ...counted(name, 'ProcessesWithRechecks'),
  };
}

/** Each complete tick writes the age of the oldest pass. Five missing minutes of ten are more than one late tick.
 *
 *  The difference is 1 in a minute without a tick that follows one with a tick, and 0 in a minute with a tick. It has
 *  no data before the first tick, or without a tick in all ten minutes; then the alarm keeps its state. So it is silent
 *  in a new stack until the first tick, and lasts until ticks return. A first tick that never comes is reported by
 *  `tick failing`. */
function tickSilent(name: string): OperatorAlarm {
  return {
    name: 'tick silent',
    happened:
      'In 5 of 10 minutes no run of the tick function completed: it fails, or its schedule does not start it.',
    means:
      'No process is polled, no backlog is sent, and most other alarms of this stack cannot begin. Nothing is lost: the next tick catches up.',
    first: {
      ask: 'logs tick --since 15m',
      see: 'repair the error that is logged. Without errors, `failed-messages list unstarted` shows why the schedule could not start it; a deployment restores the schedule (npx changewire deploy -- --revert-drift).',
    },
    metric: new MathExpression({
      expression: 'FILL(ticks, REPEAT) - FILL(ticks, 0)',
      label: 'Minutes without a complete tick',
      usingMetrics: { ticks: ownMetric(name, 'OldestPassAge', 'SampleCount') },
      period: Duration.minutes(1),
    }),
    ...{ threshold: 1, points: 5, of: 10, missing: 'ignored' },
  };
}
