import type { Ask, Connection, Place } from '../connect/connection.ts';
import type { Printer } from './printer.ts';
import type { World } from './world.ts';

/** What one command works with. */
export interface Context extends Pick<World, 'input' | 'clock' | 'sleep' | 'interrupted'> {
  readonly ask: Ask;
  /** Connects to whoever answers. */
  connect(): Promise<Connection>;
  readonly print: Printer;
  readonly place: Place;
}

/** The command failed, and has said so already: exit code 1. */
export class Failed extends Error {}
