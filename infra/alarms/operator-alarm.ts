import { Stack } from 'aws-cdk-lib';
import {
  Alarm,
  ComparisonOperator,
  type IAlarmAction,
  type IMetric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';

/** An alarm as the operator meets it: its name and these lines are all that the message contains. */
export interface OperatorAlarm {
  readonly name: string;
  /** What happened. */
  readonly happened: string;
  /** What that means for events and receivers. */
  readonly means: string;
  /** The first thing to do: what to ask with the command `changewire`, and what to look for in its answer. */
  readonly first: { readonly ask: string; readonly see: string };
  readonly metric: IMetric;
  readonly threshold: number;
  /** How many of the last `of` periods of the metric must reach the threshold. */
  readonly points: number;
  readonly of: number;
  /** What a period without data counts as: as a good one where only what is wrong is counted. */
  readonly missing: 'not breaching' | 'ignored';
}

const MISSING = {
  'not breaching': TreatMissingData.NOT_BREACHING,
  ignored: TreatMissingData.IGNORE,
} as const;

/** Creates the alarm of the Changewire of this name; `action` is run when it begins and when it ends. The
 *  alarm's own name, with dashes, is its heading in docs/runbook.md. */
export function operatorAlarm(
  scope: Construct,
  name: string,
  spec: OperatorAlarm,
  action: IAlarmAction,
): Alarm {
  const { region } = Stack.of(scope);
  const alarm = new Alarm(scope, idOf(spec.name), {
    alarmName: `${name}: ${spec.name}`,
    alarmDescription: [
      `What happened: ${spec.happened}`,
      `What it means: ${spec.means}`,
      // Complete, so that it can be pasted.
      `First: npx changewire ${spec.first.ask} --stack ${name} --region ${region}`,
      `Then: ${spec.first.see}`,
      `More: docs/runbook.md#${spec.name.replaceAll(' ', '-')}`,
    ].join('\n'),
    metric: spec.metric,
    comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    threshold: spec.threshold,
    evaluationPeriods: spec.of,
    datapointsToAlarm: spec.points,
    treatMissingData: MISSING[spec.missing],
  });
  alarm.addAlarmAction(action);
  alarm.addOkAction(action);
  return alarm;
}

/** The construct's id: `ProcessesLate` for `processes late`. */
function idOf(name: string): string {
  return name.replaceAll(/(?:^| )([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
