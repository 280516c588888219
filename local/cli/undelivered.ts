import type { Deliveries } from '../../functions/delivery/deliveries.ts';
import type { Output } from './output.ts';

/** Says at a start what an endpoint has yet to get, once its dead letters wait again if `resend` names it.
 *  @param endpoint the name that its deliveries are kept under; `label` is what people call it
 *  @returns the number of dead letters that stay */
export async function takeUp(
  { deliveries, output, resend }: { deliveries: Deliveries; output: Output; resend: ReadonlySet<string> },
  { endpoint, label }: { readonly endpoint: string; readonly label: string },
  now: number,
): Promise<number> {
  const say = (text: string) => output.say(`${label}: ${text}`, { endpoint: label });
  if (resend.has(endpoint)) {
    const count = await deliveries.revive(endpoint, now);
    say(count === 0 ? 'has no dead letters to send again' : `sends its dead letters again: ${count}`);
  }
  const { pending, oldest, dead } = await deliveries.standing(endpoint);
  if (oldest !== undefined)
    say(`goes on with what is undelivered: ${pending}, since ${new Date(oldest).toISOString()}`);
  if (dead > 0) say(`has dead letters: ${dead}. --resend ${label} sends them again`);
  return dead;
}
