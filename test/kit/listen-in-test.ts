import { onTestFinished } from 'vitest';
import { type Listening, listen, type Server } from './listen.ts';

/** Has a server listen on 127.0.0.1 until the end of the test; on a free port unless told. */
export async function listenInTest(server: Server, port?: number): Promise<Listening> {
  const listening = await listen(server, port);
  onTestFinished(() => listening.stop());
  return listening;
}
