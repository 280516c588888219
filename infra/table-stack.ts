import { Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { Config } from '../functions/config/schema.ts';
import { tableStackName } from '../functions/config/schema.ts';
import { inRegion } from './parts/in-region.ts';
import { SnapshotTable } from './parts/table.ts';

/** The table in a stack of its own, so that it survives when the other stack is destroyed or rolled back
 *  (decision 0049). */
export class TableStack extends Stack {
  readonly snapshots: SnapshotTable;

  constructor(scope: Construct, config: Pick<Config, 'stackName' | 'region'>) {
    const name = tableStackName(config.stackName);
    super(scope, name, {
      ...inRegion(config),
      stackName: name,
      description: 'Changewire: the table, which is kept when the other stacks are deleted',
      terminationProtection: true,
    });
    this.snapshots = new SnapshotTable(this, 'Snapshots');
  }
}
