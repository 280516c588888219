import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { ended } from '../command.ts';
import type { Certificate } from '../receivers/server.ts';
import type { OwnEmulator, World } from '../world.ts';

const CONFIG = fileURLToPath(new URL('../contract/vitest.config.ts', import.meta.url));
const VITEST = fileURLToPath(new URL('../../../node_modules/.bin/vitest', import.meta.url));

/** What the contract is told of the stack: as JSON, in `CONTRACT_OPTIONS`. */
export interface ContractOptions {
  readonly endpoint: string;
  readonly stackName: string;
  readonly tableName: string;
  /** Of somebody who may act. */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  readonly arn: string;
  /** Where the functions' internet leads to for the receiver's name. */
  readonly port: number;
  readonly certificate: Certificate;
}

/** The contract that the operations keep everywhere, over the deployed function, on processes that nobody polls. */
export async function contract(world: World, { contract, gate }: OwnEmulator): Promise<void> {
  const { report, stack, operators } = world;
  const { act } = await operators();
  const options: ContractOptions = {
    ...{ endpoint: gate.endpoint, stackName: stack.name, tableName: stack.output('TableName') },
    ...{ credentials: act.credentials, arn: act.arn, ...contract },
  };
  report.part('The contract of the operations');
  await report.check('test/operations/contract.ts holds on the stack', async () => {
    const child = spawn(VITEST, ['run', '--config', CONFIG], {
      env: { ...process.env, CONTRACT_OPTIONS: JSON.stringify(options) },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: 420_000,
    });
    const { code, out, err } = await ended(child);
    if (code !== 0) throw new Error((out + err).slice(-6_000));
    // Of the files, then of the tests.
    return out.match(/\d+ passed/g)?.at(-1);
  });
  // Their receiver is gone.
  const { endpoints } = await act.ask({ operation: 'endpoints', limit: 100 });
  for (const { name, isConfigured } of endpoints)
    if (!isConfigured) await act.ask({ operation: 'remove-endpoint', endpoint: name });
}
