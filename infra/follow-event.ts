import { CfnQueryDefinition } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { Watched } from './alarms/function-alarms.ts';

/** A query of Logs Insights that follows one event. It searches for the id as text, because functions log ids in lists,
 *  one line per batch, and in errors. */
export function followEvent(scope: Construct, name: string, handlers: Watched): CfnQueryDefinition {
  return new CfnQueryDefinition(scope, 'FollowEvent', {
    name: `${name}/Follow one event`,
    logGroupNames: Object.values(handlers).map(({ fn }) => fn.logGroup.logGroupName),
    queryString: [
      'fields @timestamp, @log, level, message, @message',
      'filter @message like "{{eventId}}"',
      'sort @timestamp asc',
      'limit 1000',
    ].join('\n| '),
    parameters: [
      {
        name: 'eventId',
        description: 'The id of the event (npx changewire events --json)',
        defaultValue: 'process.project.version.index',
      },
    ],
  });
}
