/** The command line or the environment can't be followed; the message says what to change. */
export class UsageError extends Error {}
