import type { OperatorAlarm } from './operator-alarm.ts';
import { type OwnMetric, ownMetric } from './own-metric.ts';

type Condition = Pick<OperatorAlarm, 'metric' | 'threshold' | 'points' | 'of' | 'missing'>;

/** A count of the tick function, in `minutes` of the last `minutes` + 4: up to four minutes without a count do not
 *  end an alarm, so that no second mail is sent for the same cause. */
export function counted(name: string, metric: OwnMetric, minutes = 1): Condition {
  return {
    metric: ownMetric(name, metric, 'Maximum'),
    ...{ threshold: 1, points: minutes, of: minutes + 4, missing: 'not breaching' },
  };
}

/** An occurrence, counted in its minute. The alarm ends by itself, so that it can report the next occurrence. */
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
