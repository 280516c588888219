import { Stack } from 'aws-cdk-lib';
import {
  Alarm,
  ComparisonOperator,
  type IAlarmAction,
  type IMetric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';

/** An alarm as the operator reads it: the message contains only its name and these lines. */
export interface OperatorAlarm {
  readonly name: string;
  /** What happened. */
  readonly happened: string;
  /** What it means for events and receivers. */
  readonly means: string;
  /** The first command (`changewire <ask>`), and what to look for in its output and do about it. In `see`,
   *  commands are in backticks, without `npx changewire`. */
  readonly first: { readonly ask: string; readonly see: string };
  readonly metric: IMetric;
  readonly threshold: number;
  /** How many of the last `of` periods of the metric must reach the threshold. */
  readonly points: number;
  readonly of: number;
  /** How a period without data counts. `not breaching` suits metrics that are written only on failure. */
  readonly missing: 'not breaching' | 'ignored';
}

/** A file of the package, which operators have in the folder where they run the commands. */
const RUNBOOK = 'docs/runbook.md';

const MISSING = {
  'not breaching': TreatMissingData.NOT_BREACHING,
  ignored: TreatMissingData.IGNORE,
} as const;

/** Creates an alarm of the stack with this name; `action` runs when it begins and when it ends. The name of the
 *  alarm, with dashes, is its anchor in docs/runbook.md. */
export function operatorAlarm(
  scope: Construct,
  name: string,
  spec: OperatorAlarm,
  action: IAlarmAction,
): Alarm {
  const { region } = Stack.of(scope);
  const command = (ask: string) => `npx changewire ${ask} --stack ${name} --region ${region}`;
  const alarm = new Alarm(scope, idOf(spec.name), {
    alarmName: `${name}: ${spec.name}`,
    alarmDescription: [
      `What happened: ${spec.happened}`,
      `What it means: ${spec.means}`,
      // Complete, so that they can be pasted.
      `First: ${command(spec.first.ask)}`,
      `Then: ${spec.first.see.replaceAll(/`([^`]+)`/g, (_, ask: string) => command(ask))}`,
      `More: node_modules/changewire/${RUNBOOK}#${spec.name.replaceAll(' ', '-')}`,
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
