import type { OperatorAlarm } from './operator-alarm.ts';
import { type OwnMetric, ownMetric } from './own-metric.ts';

type Condition = Pick<OperatorAlarm, 'metric' | 'threshold' | 'points' | 'of' | 'missing'>;

/** What the tick function of the Changewire of this name counted, in `minutes` of the last `minutes` + 4. So
 *  up to four minutes in which it did not run, or counted none, do not end an alarm, and no second mail is sent
 *  for the same cause. */
export function counted(name: string, metric: OwnMetric, minutes = 1): Condition {
  return {
    metric: ownMetric(name, metric, 'Maximum'),
    ...{ threshold: 1, points: minutes, of: minutes + 4, missing: 'not breaching' },
  };
}

/** What a function counts in the minute in which it happens. The alarm ends by itself, or it could not
 *  report the next case. */
export function happened(name: string, metric: OwnMetric): Condition {
  return {
    metric: ownMetric(name, metric, 'Sum'),
    ...{ threshold: 1, points: 1, of: 1, missing: 'not breaching' },
  };
}

/** In each of three periods in a row. */
export function threeTimes(metric: OperatorAlarm['metric'], threshold: number): Condition {
  return { metric, threshold, points: 3, of: 3, missing: 'not breaching' };
}
