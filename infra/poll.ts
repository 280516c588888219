import { Duration } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { workspacesJson } from './config/environment.ts';
import type { Config } from './config/schema.ts';
import { credentialsName } from './config/workspace.ts';
import { type Binding, Handler } from './handler.ts';
import { mayRead } from './secrets.ts';
import type { SnapshotTable } from './table.ts';

export interface PollProps {
  readonly config: Config;
  readonly entry: string;
  readonly table: SnapshotTable;
}

/** The function that makes one pass over one process. One invocation per process and mode runs at a time: the lease
 *  sees to that, so no concurrency is reserved. */
export class Poll extends Handler {
  constructor(scope: Construct, id: string, { config, entry, table }: PollProps) {
    super(scope, id, {
      entry,
      description: 'Changewire: reads one process, compares it with its snapshots, commits what changed',
      // 32 requests at once, each up to 6 MB (service-api.md §8), are 192 MB of JSON text, and more when parsed.
      memoryMiB: 1024,
      // Lambda's longest: a baseline takes as long as it can, and the next run goes on where it stopped.
      timeout: Duration.minutes(15),
      logRetention: config.logRetentionDays,
      bindings: { TABLE_NAME: table.forCommits(), WORKSPACES: forPolling(scope, config) },
    });
  }
}

/** `WORKSPACES`, which names each workspace's secret, and leave to read just those. */
function forPolling(scope: Construct, config: Config): Binding {
  const statement = mayRead(scope, config.workspaces.map(credentialsName));
  return {
    value: workspacesJson(config),
    grant: ({ grantPrincipal }) => grantPrincipal.addToPrincipalPolicy(statement),
  };
}
