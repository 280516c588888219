import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnSchedule, ScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { Config } from './config/schema.ts';
import { deadLetterQueue } from './dead-letter-queue.ts';
import type { Handler } from './handler.ts';
import { passes } from './passes.ts';
import type { Poll } from './poll.ts';
import type { Tick } from './tick.ts';

/** A function that is to be started again and again. */
interface Scheduled {
  readonly group: ScheduleGroup;
  readonly role: Role;
  readonly description: string;
  /** In ms: whole minutes. */
  readonly interval: number;
  readonly handler: Handler;
  readonly input: object;
}

/** One schedule per process and mode, which makes Changewire poll, and one for what is to be done each minute. */
export class Schedules extends Construct {
  /** Invocations that Scheduler could not start, with the reason in their attributes. */
  readonly unstarted: Queue;

  constructor(scope: Construct, id: string, props: { config: Config; poll: Poll; tick: Tick }) {
    super(scope, id);
    // CDK keeps it by default, under a name that is always the same: the next deployment would then find its name taken.
    const group = new ScheduleGroup(this, 'Group', { removalPolicy: RemovalPolicy.DESTROY });
    this.unstarted = deadLetterQueue(this, 'Unstarted');
    const role = this.#role(group, [props.poll, props.tick]);
    const target = { group, role };
    for (const pass of passes(props.config))
      this.#schedule(pass.key, {
        ...target,
        description: `Changewire: ${pass.mode} pass over process ${pass.processId} of workspace ${pass.workspace}`,
        interval: pass.interval,
        handler: props.poll,
        input: { workspace: pass.workspace, processId: pass.processId, mode: pass.mode },
      });
    this.#schedule('Tick', {
      ...target,
      description: 'Changewire: what is to be done each minute',
      interval: 60_000,
      handler: props.tick,
      input: {},
    });
  }

  #schedule(id: string, { group, role, description, interval, handler, input }: Scheduled): void {
    const schedule = new CfnSchedule(this, id, {
      description,
      groupName: group.scheduleGroupName,
      scheduleExpression: rate(interval),
      flexibleTimeWindow: { mode: 'OFF' },
      target: {
        arn: handler.fn.functionArn,
        roleArn: role.roleArn,
        input: JSON.stringify(input),
        // The next run of the schedule is the retry, and nobody wants one that is late by more than a minute.
        retryPolicy: { maximumRetryAttempts: 0, maximumEventAgeInSeconds: 60 },
        deadLetterConfig: { arn: this.unstarted.queueArn },
      },
    });
    // Scheduler checks at creation that the role may do what the schedule asks, and names its group as mere text.
    schedule.node.addDependency(role, group);
  }

  #role(group: ScheduleGroup, handlers: readonly Handler[]): Role {
    const role = new Role(this, 'Role', {
      description: 'Lets the schedules of Changewire start its functions, and nothing else',
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
      new PolicyStatement({
        actions: ['lambda:InvokeFunction'],
        resources: handlers.map(({ fn }) => fn.functionArn),
      }),
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
