import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnSchedule, ScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { deadLetterQueue } from './dead-letter-queue.ts';
import type { Handler } from './handler.ts';
import { mayUse } from './key-use.ts';
import type { StorageOptions } from './storage-options.ts';

export interface ScheduleProps {
  /** Names the group. */
  readonly name: string;
  readonly tick: Handler;
  readonly storage: StorageOptions;
}

/** The only schedule. It starts the tick function each minute. */
export class Schedule extends Construct {
  /** Invocations that Scheduler could not start, with the reason as attribute. */
  readonly unstarted: Queue;

  constructor(scope: Construct, id: string, { name, tick, storage }: ScheduleProps) {
    super(scope, id);
    // The role can be assumed only for the ARN of this group. A group that is kept would make the next deployment
    // fail, because its name is fixed. CDK's default name, the construct's path, may occur in two apps.
    const group = new ScheduleGroup(this, 'Group', {
      scheduleGroupName: name,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.unstarted = deadLetterQueue(this, 'Unstarted', storage);
    const role = this.#role(group, tick);
    const schedule = new CfnSchedule(this, 'Tick', {
      description: 'Changewire: starts due passes and other work of each minute',
      groupName: group.scheduleGroupName,
      scheduleExpression: 'rate(1 minute)',
      flexibleTimeWindow: { mode: 'OFF' },
      target: {
        arn: tick.fn.functionArn,
        roleArn: role.roleArn,
        input: '{}',
        // The next tick is the retry.
        retryPolicy: { maximumRetryAttempts: 0, maximumEventAgeInSeconds: 60 },
        deadLetterConfig: { arn: this.unstarted.queueArn },
      },
    });
    // Scheduler checks the role at creation, and CDK does not see the dependency on the group, whose name is a text.
    schedule.node.addDependency(role, group);
  }

  #role(group: ScheduleGroup, { fn }: Handler): Role {
    const role = new Role(this, 'Role', {
      description: 'Permits the schedule of Changewire to start the tick function, and nothing else',
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
