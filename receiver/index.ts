/** The event types, and `verify` and `verifyAll`, which receivers call. docs/receiving.md has an example. */
export type * from './event.ts';
export { Refusal } from './refusal.ts';
export type { BodyReader, NodeRequest, WebRequest } from './request.ts';
export type { Senders } from './senders.ts';
export { verify, verifyAll } from './verify.ts';
