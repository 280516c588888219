import { Stack } from 'aws-cdk-lib';
import {
  Alarm,
  ComparisonOperator,
  type IAlarmAction,
  type IMetric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';

/** An alarm as the operator meets it: the name and these lines are all that the message at 3 a.m. holds. */
export interface OperatorAlarm {
  readonly name: string;
  /** What happened. */
  readonly happened: string;
  /** What that means for events and receivers. */
  readonly means: string;
  /** The first thing to do: what to ask with the command `changewire`, and what to look for in its answer. */
  readonly first:
    | { readonly ask: string; readonly see: string }
    | { readonly run: string; readonly see: string };
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

/** Creates the alarm; `action` hears of it when it begins and when it ends. `stackName` is that of the stack with the functions. */
export function operatorAlarm(
  scope: Construct,
  id: string,
  spec: OperatorAlarm,
  { action, stackName }: { readonly action: IAlarmAction; readonly stackName: string },
): Alarm {
  const { region } = Stack.of(scope);
  const { first } = spec;
  const command =
    'ask' in first
      ? `npx changewire ${first.ask} --stack ${stackName} --region ${region}`
      : `${first.run} --region ${region}`;
  const alarm = new Alarm(scope, id, {
    alarmName: `${Stack.of(scope).stackName}: ${spec.name}`,
    alarmDescription: [
      `What happened: ${spec.happened}`,
      `What it means: ${spec.means}`,
      // Ready to paste, whoever reads it at night.
      `First: ${command}`,
      `Then: ${first.see}`,
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

/** A word for a shell, also one that holds what a shell would take for its own. */
export function quoted(word: string): string {
  return /^[\w.@%+=:,/-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
