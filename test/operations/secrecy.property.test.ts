import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { answerRequest, createOperations } from '../../functions/operations/operations.ts';
import type { Operation, Reply } from '../../functions/operations/protocol/requests.ts';
import { AT, commit, openContext, PROCESSES, STORES } from '../kit/operations/context.ts';
import { eventsOf } from '../kit/operations/events.ts';
import { leakIn, secrets } from '../kit/secret-arbitraries.ts';

const URL = 'https://crm.example/';
const CALLER = { who: 'ann', isProven: true };

/** A signing secret of these 32 bytes, and the part of it that nobody may see. */
const signing = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map(bytes => Buffer.from(bytes).toString('base64'))
  .map(secret => ({ text: `whsec_${secret}`, secret }));
const anySecret = fc.oneof(signing, secrets);

/** Requests that have a secret where it belongs, or where it was typed by mistake. */
const requestOf = (text: string): readonly (readonly [Operation, object])[] => {
  const at = new Date(AT).toISOString();
  return [
    ['add-endpoint', { endpoint: 'new', kind: 'webhook', url: text }],
    ['add-endpoint', { endpoint: 'signed', kind: 'webhook', url: URL, secrets: [text] }],
    ['add-endpoint', { endpoint: 'kept', kind: 'slack', url: URL, filter: { [text]: text } }],
    ['update-endpoint', { endpoint: 'crm', url: text }],
    ['update-endpoint', { endpoint: 'crm', url: `https://crm.example/${encodeURIComponent(text)}` }],
    ['update-endpoint', { endpoint: 'crm', url: `https://127.0.0.2:0/${encodeURIComponent(text)}` }],
    ['add-endpoint', { endpoint: 'x', kind: 'webhook', url: `http://10.0.0.1/${encodeURIComponent(text)}` }],
    ['rotate-secret', { endpoint: 'crm', secret: text }],
    ['test-endpoint', { endpoint: 'crm' }],
    ['finish-rotation', { endpoint: 'crm' }],
    ['pause-endpoint', { endpoint: text }],
    ['remove-endpoint', { endpoint: text }],
    ['resend', { eventId: text, to: 'crm' }],
    ['resend', { eventId: 'a.b.1.0', to: text }],
    ['resend-dead', { to: text }],
    ['replay', { to: 'crm', since: at, types: [text] }],
    ['replay', { to: 'crm', since: at, processes: [text] }],
    ['replay', { to: text, since: at }],
    ['cancel-replay', { to: text }],
    ['pass', { process: text, mode: 'sweep' }],
    ['release', { process: 'sales', workspace: text }],
    ['status', { cursor: text }],
    ['events', { process: text }],
    ['events', { types: [text], field: text, project: text, task: text }],
    ['events', { since: text }],
    ['trace', { eventId: text }],
    ['attempts', { endpoint: 'crm', eventId: text }],
    ['attempts', { endpoint: text }],
    ['dead-letters', { endpoint: text }],
    ['preview', { endpoint: 'crm', eventId: text }],
    ['actions', { endpoint: text }],
    ['actions', { process: text }],
    ['doctor', { process: text }],
  ];
};

/** What is looked at afterwards: whatever was done, this tells of it. */
const LOOKS = [
  ['status', {}],
  ['endpoints', {}],
  ['endpoint', { endpoint: 'crm' }],
  ['attempts', { endpoint: 'crm' }],
  ['dead-letters', { endpoint: 'crm' }],
  ['preview', { endpoint: 'crm' }],
  ...['crm', 'new', 'signed', 'kept'].map(endpoint => ['actions', { endpoint }] as const),
  ['actions', { process: 'sales' }],
  ['events', {}],
] as const;

describe.each(STORES)('over %s, invariant 10', (_, open) => {
  it('no answer, refusal, action or log shows a secret that somebody gave', async () => {
    await fc.assert(
      fc.asyncProperty(anySecret, fc.boolean(), async ({ text, secret }, isEcho) => {
        const context = openContext(open, [{ name: 'fixed', kind: 'webhook' }]);
        const logged: unknown[] = [];
        const say = (...said: unknown[]) => void logged.push(said);
        const operations = createOperations({ ...context, log: { info: say, warn: say, error: say } });
        const ask = async ([operation, asked]: readonly [Operation, object]) => {
          // A receiver may say back what it was asked with.
          if (isEcho) context.receiver.body = `you sent ${text} with ${secret}`;
          return answerRequest(operations, { operation, ...asked }, CALLER).catch(
            (error: unknown): Reply => ({ refused: String(error), isUsage: false }),
          );
        };
        await ask(['add-endpoint', { endpoint: 'crm', kind: 'webhook', url: URL }]);
        await commit(context, eventsOf(AT - 5), { at: AT - 5 });
        const [, process] = PROCESSES;
        expect(process?.processId).toBe('sales');
        const told = [];
        for (const request of [...requestOf(text), ...LOOKS]) told.push([request[0], await ask(request)]);
        context.close();
        for (const one of [...told, logged, context.said]) {
          const found = leakIn(JSON.stringify(one), secret);
          expect(found, JSON.stringify(one)).toBeUndefined();
        }
      }),
      { numRuns: 40 },
    );
  });
});
