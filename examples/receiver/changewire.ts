/** In a project of your own, this reads `from 'changewire/events'`. */
export { Refusal, type Senders, type SentEvent, verify } from '../../receiver/index.ts';
