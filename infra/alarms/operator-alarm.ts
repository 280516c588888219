import { Stack } from 'aws-cdk-lib';
import {
  Alarm,
  ComparisonOperator,
  type IAlarmAction,
  type IMetric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';

/** An alarm as the operator meets it: the name and these four lines are all that the message at 3 a.m. holds. */
export interface OperatorAlarm {
  readonly name: string;
  /** What happened. */
  readonly happened: string;
  /** What that means for events and receivers. */
  readonly means: string;
  /** The first thing to do. */
  readonly first: string;
  /** The heading's anchor in docs/runbook.md. */
  readonly section: string;
  readonly metric: IMetric;
  readonly when: 'at least' | 'below';
  readonly threshold: number;
  /** Periods of the metric in a row. */
  readonly periods: number;
  readonly missing: 'breaching' | 'not breaching' | 'ignored';
}

const COMPARISON = {
  'at least': ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
  below: ComparisonOperator.LESS_THAN_THRESHOLD,
} as const;

const MISSING = {
  breaching: TreatMissingData.BREACHING,
  'not breaching': TreatMissingData.NOT_BREACHING,
  ignored: TreatMissingData.IGNORE,
} as const;

/** Creates the alarm; `action` hears of it when it begins and when it ends. */
export function operatorAlarm(
  scope: Construct,
  id: string,
  spec: OperatorAlarm,
  action: IAlarmAction,
): Alarm {
  const alarm = new Alarm(scope, id, {
    alarmName: `${Stack.of(scope).stackName}: ${spec.name}`,
    alarmDescription: [
      `What happened: ${spec.happened}`,
      `What it means: ${spec.means}`,
      `First: ${spec.first}`,
      `More: docs/runbook.md#${spec.section}`,
    ].join('\n'),
    metric: spec.metric,
    comparisonOperator: COMPARISON[spec.when],
    threshold: spec.threshold,
    evaluationPeriods: spec.periods,
    datapointsToAlarm: spec.periods,
    treatMissingData: MISSING[spec.missing],
  });
  alarm.addAlarmAction(action);
  alarm.addOkAction(action);
  return alarm;
}
