/** The event types; `verify` and `verifyAll`, which receivers call; and `consume` for endpoints of kind pull.
 *  docs/receiving.md has an example. */
export { type ConsumeOptions, consume } from './consume.ts';
export type * from './event.ts';
export type { Source } from './operations.ts';
export { Refusal } from './refusal.ts';
export type { BodyReader, NodeRequest, WebRequest } from './request.ts';
export type { Senders } from './senders.ts';
export { verify, verifyAll } from './verify.ts';
