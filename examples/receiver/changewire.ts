/** In your own project, write `from 'changewire/events'`. */
export { Refusal, type Senders, type SentEvent, verify } from '../../receiver/index.ts';
