import { createServer } from 'node:net';
import { listen } from '../listen.ts';

/** A port of 127.0.0.1 that was free a moment ago; whoever binds it must be ready to find it taken. */
export async function freePort(): Promise<number> {
  const { port, stop } = await listen(createServer());
  await stop();
  return port;
}
