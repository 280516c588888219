import { request as http } from 'node:http';
import { request as https } from 'node:https';

/** STS's answers are far shorter. */
const LONGEST = 65_536;

/** Posts a form, and follows nothing. The host that is named may be another than the one that is reached, as in front of an emulator.
 *  @throws an error when no whole answer comes in time */
export function post(
  address: URL,
  headers: Readonly<Record<string, string>>,
  body: string,
  withinMs: number,
): Promise<{ readonly status: number; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const send = address.protocol === 'http:' ? http : https;
    const options = { method: 'POST', headers, signal: AbortSignal.timeout(withinMs) };
    const outgoing = send(address, options, answer => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', part => {
        text += part;
        if (text.length > LONGEST) answer.destroy(new Error('the answer is too long'));
      });
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }));
      answer.on('error', reject);
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}
