import type { Finding } from '../operations/protocol/doctor.ts';
import type { ProbedToken } from '../service/probe.ts';
import type { Examination } from './examination.ts';

const TOPIC = 'token life';

/** How long a token lives, and which part of the answer says so (service-api.md §5). */
export const token: Examination = {
  topic: TOPIC,
  examine: async asker => ({ findings: [judgeToken(await asker.token())] }),
};

/** A token is renewed a minute early, or after 80 % of a short life. With a shorter life than this, every few
 *  requests need a new one. */
const SHORT_MS = 30_000;

export function judgeToken({ request, failure, isUnreachable, lifetime = 0, toldBy }: ProbedToken): Finding {
  const asked = [request];
  if (failure !== undefined)
    return {
      topic: TOPIC,
      verdict: 'warning',
      found: 'There is no token.',
      asked,
      came: failure,
      remedy: isUnreachable ? UNREACHABLE : REMEDY,
    };
  const life = `${Math.round(lifetime / 1000)} s`;
  if (toldBy === 'nothing')
    return {
      ...{ topic: TOPIC, verdict: 'warning', asked },
      found: `Nothing tells how long a token lives; ${life} are assumed, and a refused one is renewed.`,
      came: 'a token without expires_in, and without an exp that could be read',
    };
  const source = toldBy === 'exp' ? 'its own exp; the answer has no expires_in' : 'expires_in';
  if (lifetime < SHORT_MS)
    return {
      ...{ topic: TOPIC, verdict: 'warning', asked },
      found: `A token lives ${life}, as told by ${source}. It is renewed every few requests.`,
      came: `a token for ${life}`,
      remedy: 'Ask the operator of the service for a longer life.',
    };
  return {
    ...{ topic: TOPIC, verdict: 'fine', asked },
    found: `A token lives ${life}, as told by ${source}.`,
    came: `a token for ${life}`,
  };
}

const UNREACHABLE =
  'Nothing answers at the authentication address (EU or US): check its name and port, and the proxy or firewall between.';
const REMEDY = 'Check client id, client secret, audience and the authentication address (EU or US).';
