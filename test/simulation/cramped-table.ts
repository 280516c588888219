import { BatchGetItemCommand, type BatchGetItemCommandOutput } from '@aws-sdk/client-dynamodb';
import type { Nature } from './life.ts';
import type { TableModel } from './models/table.ts';
import type { Plan } from './plan.ts';

/** A table that can't answer all of a batch: it leaves some keys unread and says which. */
export function crampedTable(table: TableModel, plan: Plan, nature: Nature): Pick<TableModel, 'run'> {
  const { random, coverage } = nature;
  return {
    run(command) {
      const isCramped =
        command instanceof BatchGetItemCommand && nature.faulty && random() < plan.mess.cramped;
      if (!isCramped) return table.run(command);
      const [[name, { Keys = [], ...request }]] = Object.entries(command.input.RequestItems ?? {}) as [
        [string, NonNullable<BatchGetItemCommand['input']['RequestItems']>[string]],
      ];
      const left = Keys.filter(() => random() < 0.5);
      const read = Keys.filter(key => !left.includes(key));
      if (read.length === 0 || left.length === 0) return table.run(command);
      coverage.add('table', 'batch read in part');
      const RequestItems = { [name]: { ...request, Keys: read } };
      return {
        ...(table.run(new BatchGetItemCommand({ RequestItems })) as BatchGetItemCommandOutput),
        UnprocessedKeys: { [name]: { ...request, Keys: left } },
      };
    },
  };
}
