import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnSchedule, ScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { Config } from './config/schema.ts';
import { deadLetterQueue } from './dead-letter-queue.ts';
import { passes } from './passes.ts';
import type { Poll } from './poll.ts';

/** One schedule per process and mode: what makes Changewire poll. */
export class Schedules extends Construct {
  /** Invocations that Scheduler could not start, with the reason in their attributes. */
  readonly unstarted: Queue;

  constructor(scope: Construct, id: string, props: { config: Config; poll: Poll }) {
    super(scope, id);
    // CDK keeps it by default, under a name that is always the same: the next deployment would then find its name taken.
    const group = new ScheduleGroup(this, 'Group', { removalPolicy: RemovalPolicy.DESTROY });
    this.unstarted = deadLetterQueue(this, 'Unstarted');
    const role = this.#role(group, props.poll);
    for (const pass of passes(props.config)) {
      const schedule = new CfnSchedule(this, pass.key, {
        description: `Changewire: ${pass.mode} pass over process ${pass.processId} of workspace ${pass.workspace}`,
        groupName: group.scheduleGroupName,
        scheduleExpression: rate(pass.interval),
        flexibleTimeWindow: { mode: 'OFF' },
        target: {
          arn: props.poll.fn.functionArn,
          roleArn: role.roleArn,
          input: JSON.stringify({ workspace: pass.workspace, processId: pass.processId, mode: pass.mode }),
          // The next run of the schedule is the retry, and nobody wants a pass that is late by more than a minute.
          retryPolicy: { maximumRetryAttempts: 0, maximumEventAgeInSeconds: 60 },
          deadLetterConfig: { arn: this.unstarted.queueArn },
        },
      });
      // Scheduler checks at creation that the role may do what the schedule asks, and names its group as mere text.
      schedule.node.addDependency(role, group);
    }
  }

  #role(group: ScheduleGroup, poll: Poll): Role {
    const role = new Role(this, 'Role', {
      description: 'Lets the schedules of Changewire start passes, and nothing else',
      assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
        conditions: {
          StringEquals: {
            'aws:SourceAccount': Stack.of(this).account,
            'aws:SourceArn': group.scheduleGroupArn,
          },
        },
      }),
    });
    role.addToPolicy(
      new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [poll.fn.functionArn] }),
    );
    role.addToPolicy(
      new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [this.unstarted.queueArn] }),
    );
    return role;
  }
}

/** Scheduler knows `rate(1 minute)` and `rate(2 minutes)`, and refuses one for the other. */
function rate(interval: number): string {
  const minutes = interval / 60_000;
  return minutes === 1 ? 'rate(1 minute)' : `rate(${minutes} minutes)`;
}
