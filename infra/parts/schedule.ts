import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnSchedule, ScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { deadLetterQueue } from './dead-letter-queue.ts';
import type { Handler } from './handler.ts';
import type { Keeping } from './keeping.ts';
import { mayUse } from './key-use.ts';

export interface ScheduleProps {
  /** Names the group. */
  readonly name: string;
  readonly tick: Handler;
  readonly keeping: Keeping;
}

/** The one schedule: starts the tick function each minute, whatever the number of processes. */
export class Schedule extends Construct {
  /** Invocations that Scheduler could not start, with the reason in their attributes. */
  readonly unstarted: Queue;

  constructor(scope: Construct, id: string, { name, tick, keeping }: ScheduleProps) {
    super(scope, id);
    // A group of its own, because the role may be assumed for a group's ARN. By default CDK would keep
    // the group when the stack is destroyed; its name is always the same, so the next deployment would
    // fail. CDK's own name for it is made of the construct's path, which two stacks of two apps may have in
    // common.
    const group = new ScheduleGroup(this, 'Group', {
      scheduleGroupName: name,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.unstarted = deadLetterQueue(this, 'Unstarted', keeping);
    const role = this.#role(group, tick);
    const schedule = new CfnSchedule(this, 'Tick', {
      description: 'Changewire: sends the passes that are due, and does what else is to be done each minute',
      groupName: group.scheduleGroupName,
      scheduleExpression: 'rate(1 minute)',
      flexibleTimeWindow: { mode: 'OFF' },
      target: {
        arn: tick.fn.functionArn,
        roleArn: role.roleArn,
        input: '{}',
        // The next tick is the retry: it sends what this one would have sent.
        retryPolicy: { maximumRetryAttempts: 0, maximumEventAgeInSeconds: 60 },
        deadLetterConfig: { arn: this.unstarted.queueArn },
      },
    });
    // Scheduler checks at creation that the role allows what the schedule does. The schedule names its
    // group only as text, so CDK does not know of this dependency either.
    schedule.node.addDependency(role, group);
  }

  #role(group: ScheduleGroup, { fn }: Handler): Role {
    const role = new Role(this, 'Role', {
      description: 'Lets the schedule of Changewire start the tick function, and nothing else',
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
      new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [fn.functionArn] }),
    );
    role.addToPolicy(
      new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [this.unstarted.queueArn] }),
    );
    mayUse(this.unstarted.encryptionMasterKey, 'send', role);
    return role;
  }
}
