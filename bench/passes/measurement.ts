import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTable, TABLE_NAME } from '../../test/kit/table.ts';
import { type Child, startChild } from './children.ts';
import type { Size } from './content.ts';
import type { PassAsked, PassTaken, PollerOptions } from './poller.ts';
import type { Control, Counted } from './service.ts';
import type { StoreOptions } from './store.ts';

/** A poller in a process of its own. */
export interface Poller extends Child {
  /** Makes one pass, whatever its outcome. */
  try(asked: PassAsked): Promise<PassTaken>;
  /** @throws when the pass fails, or is not completed */
  pass(asked: PassAsked): Promise<PassTaken>;
}

/** Everything that one measurement starts; it is stopped with the measurement: `await using measurement = new
 *  Measurement()`. */
export class Measurement implements AsyncDisposable {
  readonly #stack = new AsyncDisposableStack();

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stack.disposeAsync();
  }

  /** A service of this size, and a function that changes how it answers. */
  async service(size: Size) {
    const child = await this.start('service.ts', size);
    const control = (change: Control) => child.ask<Counted>(change);
    const { port } = await control({});
    return { origin: `http://127.0.0.1:${port}`, control, takeCounts: () => control({}) };
  }

  async poller(options: PollerOptions, nodeOptions?: readonly string[]): Promise<Poller> {
    const child = await this.start('poller.ts', options, nodeOptions);
    const attempt = (asked: PassAsked) => child.ask<PassTaken>(asked);
    const pass = async (asked: PassAsked) => {
      const taken = await attempt(asked);
      if (taken.report?.outcome === 'completed') return taken;
      throw new Error(`A pass is ${taken.report?.outcome ?? taken.failed}.`);
    };
    return { ...child, try: attempt, pass };
  }

  async start(file: string, options: object, nodeOptions?: readonly string[]): Promise<Child> {
    const child = await startChild(file, options, nodeOptions);
    this.#stack.defer(() => child.stop());
    return child;
  }

  /** An empty SQLite file, as a local run uses. */
  sqlite(): StoreOptions {
    const directory = mkdtempSync(join(tmpdir(), 'changewire-bench-'));
    const remove = () => rmSync(directory, { recursive: true, force: true });
    process.once('exit', remove);
    this.#stack.defer(() => {
      process.off('exit', remove);
      remove();
    });
    return { kind: 'sqlite', path: join(directory, 'store.sqlite') };
  }

  /** An embedded DynamoDB with an empty table, and a client to look into it. */
  async dynamodb() {
    const table = await startTable();
    this.#stack.defer(() => table.stop());
    const store: StoreOptions = { kind: 'dynamodb', tableName: TABLE_NAME, client: table.clientOptions };
    return { store, client: table.client };
  }
}
