import { Refused } from '../../functions/operations/refused.ts';
import { failure, UsageError } from '../../local/basics/usage-error.ts';
import { printableLines } from '../../local/terminal/text.ts';
import type { Ask, Connection, Place } from '../connect/connection.ts';
import type { Printer } from './printer.ts';
import type { World } from './world.ts';

export interface Context extends Pick<World, 'input' | 'clock' | 'sleep' | 'interrupted'> {
  readonly ask: Ask;
  /** Connects to the run, store or stack that the command line addresses. */
  connect(): Promise<Connection>;
  readonly print: Printer;
  readonly place: Place;
}

/** The command failed and has printed why: exit code 1. */
export class Failed extends Error {}

/** The error's message, safe for a terminal. */
export function messageOf(error: unknown): string {
  const message =
    error instanceof Refused || error instanceof UsageError ? error.message : `${failure(error)}.`;
  return printableLines(message);
}
