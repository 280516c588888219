import assert from 'node:assert/strict';
import { readSlack } from '../../kit/delivery/read-slack.ts';
import { readTeams } from '../../kit/delivery/read-teams.ts';
import { type Certificate, startReceiver } from './server.ts';

/** A chat that takes messages of the right shape only. */
export interface ChatReceiver {
  readonly port: number;
  /** The JSON of each message taken, in their order. */
  readonly messages: readonly string[];
  /** What was refused, and why. */
  readonly problems: readonly string[];
  stop(): Promise<void>;
}

export const startSlack = (certificate: Certificate) => startChat(certificate, readSlack, 200);
export const startTeams = (certificate: Certificate) => startChat(certificate, readTeams, 202);

async function startChat(
  certificate: Certificate,
  check: (body: string) => unknown,
  status: number,
): Promise<ChatReceiver> {
  const messages: string[] = [];
  const problems: string[] = [];
  const server = await startReceiver(({ headers, body }) => {
    try {
      assert.match(headers['content-type'] ?? '', /^application\/json/);
      check(body);
      messages.push(body);
      return status;
    } catch (error) {
      problems.push(`${error}: ${body.slice(0, 500)}`);
      return 400;
    }
  }, certificate);
  return { port: server.port, messages, problems, stop: server.stop };
}
