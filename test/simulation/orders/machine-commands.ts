import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { wakeBy } from '../../../functions/delivery/queues.ts';
import type { ChangeEvent } from '../../../functions/model/event.ts';
import { createOperations, type Operations } from '../../../functions/operations/operations.ts';
import { fileSecrets, SECRETS_FOLDER } from '../../../local/data/secret-files.ts';
import { openQueues } from '../../../local/data/store.ts';
import { ADDRESS, type Machine, SECRET, WEBHOOK } from './machine-side.ts';

/** What a command does, which is another process. */
export type Command = `a ${'pause' | 'resend of dead letters' | 'replay' | 'removal'} by a command`;

/** How long a command takes for a call. */
const CALL_MS = 60;
const CALLER = { who: 'operator', isProven: false };

/** Commands over the file and the directory of a machine. */
export class Commands {
  readonly #machine: Machine;
  readonly #directory: string;

  constructor(machine: Machine, directory: string) {
    this.#machine = machine;
    this.#directory = directory;
  }

  /** Adds the webhook, which no configuration has then. */
  async adds(): Promise<void> {
    const settings = { name: WEBHOOK, kind: 'webhook' } as const;
    await this.#machine.apart(async ({ endpoints }, clock) => {
      await endpoints.change(WEBHOOK, () => ({ name: WEBHOOK, settings, health: {}, addedAt: clock() }));
      await this.#secrets.write(WEBHOOK, JSON.stringify({ url: ADDRESS, secrets: [SECRET] }));
    });
  }

  /** These events are dead letters of the webhook. */
  async givesUp(events: readonly ChangeEvent[]): Promise<void> {
    await this.#machine.apart(async ({ deliveries }, clock) => {
      for (const event of events) {
        const delivery = { endpoint: WEBHOOK, eventId: event.id, at: 0, body: JSON.stringify(event) };
        await deliveries.addDead({ ...delivery, attributes: {} }, { at: clock(), reason: 'refused' });
      }
    });
  }

  async carryOut(command: Command): Promise<void> {
    const operations = await this.#operations();
    if (command === 'a pause by a command')
      await operations({ operation: 'pause-endpoint', endpoint: WEBHOOK }, CALLER);
    else if (command === 'a resend of dead letters by a command')
      await operations({ operation: 'resend-dead', to: WEBHOOK }, CALLER);
    else if (command === 'a replay by a command')
      await operations({ operation: 'replay', to: WEBHOOK, since: new Date(0).toISOString() }, CALLER);
    else await operations({ operation: 'remove-endpoint', endpoint: WEBHOOK }, CALLER);
  }

  async resumes(): Promise<void> {
    const operations = await this.#operations();
    await operations({ operation: 'resume-endpoint', endpoint: WEBHOOK }, CALLER);
  }

  get #secrets(): ReturnType<typeof fileSecrets> {
    return fileSecrets(join(this.#directory, SECRETS_FOLDER));
  }

  #operations(): Promise<Operations> {
    const machine = this.#machine;
    return machine.apart(async (store, clock) =>
      createOperations({
        ...{ ...store, endpoints: this.#slowly(store.endpoints), deliveries: this.#slowly(store.deliveries) },
        ...{ label: 'run', toApply: 'start again', isRunning: false, clock, secrets: this.#secrets },
        configured: (await store.endpoints.list()).flatMap(({ configured }) => configured ?? []),
        queues: this.#slowly(wakeBy(openQueues(machine.file, clock).drains)),
        ...{ processes: async () => [], newId: () => 'id', randomBytes },
        ...{
          log: { info: unasked, warn: unasked, error: unasked },
          address: { allowLoopback: true, resolve: unasked },
        },
        ...{ doctor: unasked, connectService: unasked, startPass: unasked },
        ...{ openPoster: unasked, jobsOf: unasked },
      }),
    );
  }

  /** The machine goes on between the calls. */
  #slowly<Port extends object>(port: Port): Port {
    const { scheduler } = this.#machine;
    const named = Object.entries(port).map(([name, method]) => [
      name,
      async (...given: unknown[]) => {
        await scheduler.sleep(CALL_MS);
        return this.#machine.apart(async () => method(...given));
      },
    ]);
    return Object.fromEntries(named) as Port;
  }
}

function unasked(): never {
  throw new Error('no command here does that');
}
