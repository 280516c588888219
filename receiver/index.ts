/** `changewire/events`: the types of all events, and one call that a receiver makes. */
export type * from './event.ts';
export { Refusal } from './refusal.ts';
export type { BodyReader, NodeRequest, WebRequest } from './request.ts';
export type { Senders } from './senders.ts';
export { verify } from './verify.ts';
