/** In a project of your own, this reads `from 'changewire/events'`, or stands where this file is imported. */
export { Refusal, type Senders, type SentEvent, verify } from '../../receiver/index.ts';
