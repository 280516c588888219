import { Duration } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { ScheduledPass } from '../passes.ts';
import { type OperatorAlarm, quoted } from './operator-alarm.ts';

/** A metric that the poll function writes; its dimensions must be exactly those that functions/create-poll.ts names. */
function pollMetric(
  metricName: string,
  dimensions: Readonly<Record<string, string>>,
  statistic: string,
  period: Duration,
): Metric {
  return new Metric({
    namespace: 'Changewire',
    metricName,
    dimensionsMap: { service: 'changewire', ...dimensions },
    statistic,
    period,
  });
}

/** No pass was completed for 5 intervals: one slow pass or one failed request is no reason to wake anybody. */
export function stale(pass: ScheduledPass): OperatorAlarm {
  const { workspace, processId, mode } = pass;
  const minutes = pass.interval / 60_000;
  const means = {
    changes:
      'Changes in this process are not told at present. None is lost: the next pass that succeeds tells them.',
    sweep:
      'Deletions in this process, and changes that the service does not date, are not told at present. None is lost.',
  }[mode];
  return {
    name: `${workspace} ${processId} ${mode} stale`,
    happened: `No ${mode} pass over process ${processId} of workspace ${workspace} was completed for 5 intervals (${5 * minutes} minutes).`,
    means: `${means} After a first deployment this is so until the credentials are filled in and the baseline is done.`,
    first: {
      ask: 'logs poll --since 1h',
      see: 'each error names what was asked, what came and the remedy.',
    },
    section: 'pass-stale',
    metric: pollMetric(
      'PassCompleted',
      { workspace, processId, mode },
      'Sum',
      Duration.millis(pass.interval),
    ),
    when: 'below',
    threshold: 1,
    periods: 5,
    missing: 'breaching',
  };
}

/** What the poller itself says, and told the subscribers. Beside `stale` it also covers what this stack doesn't schedule. */
export function stalled(pass: Pick<ScheduledPass, 'workspace' | 'processId'>): OperatorAlarm {
  const { workspace, processId } = pass;
  return {
    name: `${workspace} ${processId} stalled`,
    happened: `Passes over process ${processId} of workspace ${workspace} run, but fail or don't end: none was completed for 5 intervals. Subscribers got source.stalled.`,
    means:
      'Changes in this process are late, none is lost. The next pass that is completed tells them, and source.recovered.',
    first: {
      ask: 'logs poll --since 1h',
      see: 'each error names what was asked, what came and the remedy. If the service is down there is nothing to do.',
    },
    section: 'process-stalled',
    metric: pollMetric('ProcessStalled', { workspace, processId }, 'Maximum', Duration.minutes(1)),
    when: 'at least',
    threshold: 1,
    periods: 1,
    missing: 'ignored',
  };
}

/** Told, too, to the subscribers, when a project failed in two passes. */
export function skipped(pass: Pick<ScheduledPass, 'workspace' | 'processId'>): OperatorAlarm {
  const { workspace, processId } = pass;
  return {
    name: `${workspace} ${processId} projects skipped`,
    happened: `At least one project of process ${processId} in workspace ${workspace} can't be read or committed. Subscribers got source.skipped.`,
    means:
      'Changes in these projects are late, none is lost; all others are told. Each pass tries them again, and the alarm ends by itself. It can wait until the morning.',
    first: {
      ask: 'status',
      see: 'it names the projects that the process owes, and why. Mostly the credentials may not read them.',
    },
    section: 'projects-skipped',
    metric: pollMetric('ProjectsSkipped', { workspace, processId }, 'Maximum', Duration.minutes(1)),
    when: 'at least',
    threshold: 1,
    periods: 1,
    missing: 'ignored',
  };
}

/** Every pass says 1 while its process is held and 0 otherwise, so a minute without a pass changes nothing. */
export function held(pass: Pick<ScheduledPass, 'workspace' | 'processId'>): OperatorAlarm {
  const { workspace, processId } = pass;
  return {
    name: `${workspace} ${processId} held`,
    happened: `A sweep of process ${processId} in workspace ${workspace} missed more than max(10, 20 %) of its projects.`,
    means:
      'Either somebody deleted many projects, or the service shows too little. No deletion of this process is told until you decide; other changes go on.',
    first: {
      ask: `release ${quoted(processId)} --workspace ${workspace} --dry-run`,
      see: 'it says how many are missing. Ask the owner of the process whether they are really gone. If so, release it with --yes; if not, do nothing.',
    },
    section: 'process-held',
    metric: pollMetric('ProcessHeld', { workspace, processId }, 'Maximum', Duration.minutes(1)),
    when: 'at least',
    threshold: 1,
    periods: 1,
    missing: 'ignored',
  };
}
