import type { Clock } from '../basics/clock.ts';
import type { ServiceError } from './errors.ts';
import type { TokenAnswer } from './token-answer.ts';

/** An access token in use. Compared by identity: an authorization server may hand out the same text again. */
interface Token {
  readonly text: string;
}

/** One connection's token, shared by all its requests. */
export interface Tokens {
  /** A token that is still good for a while; all who ask at once share one token request. */
  get(deadline: number): Promise<Token>;
  /** The token that `get` would give without a request; undefined where one is needed. */
  readonly current: Token | undefined;
  /** Reports that the service refused this token. */
  refuse(token: Token): void;
  /** The last failure of the token request under way, which is tried again; otherwise undefined. */
  readonly met: ServiceError | undefined;
}

interface CurrentToken extends Token {
  readonly endsAt: number;
  readonly renewAt: number;
}

interface Flight {
  deadline: number;
  readonly token: Promise<CurrentToken>;
  met?: ServiceError;
}

/** What a token request needs to know of those who wait for it, and reports to them. */
export interface TokenWait {
  /** The latest of their deadlines. */
  deadline(): number;
  /** Called for each failure that is retried. */
  onRetry(met: ServiceError): void;
}

const HEAD_START = 60_000;

/**
 * Keeps the token of service-api.md §5, renewed 60 s before its end, or after 80 % of a short life. When
 * renewing fails, the old token serves as long as it lives.
 */
export function createTokens(clock: Clock, request: (wait: TokenWait) => Promise<TokenAnswer>): Tokens {
  let current: CurrentToken | undefined;
  let flight: Flight | undefined;

  const fly = async (wait: TokenWait): Promise<CurrentToken> => {
    const asked = clock();
    try {
      const { token, lifetime } = await request(wait);
      const renewAt = asked + Math.max(lifetime * 0.8, lifetime - HEAD_START);
      current = { text: token, endsAt: asked + lifetime, renewAt };
      return current;
    } finally {
      flight = undefined;
    }
  };

  const join = (deadline: number): Promise<CurrentToken> => {
    if (flight) flight.deadline = Math.max(flight.deadline, deadline);
    else {
      const onRetry = (met: ServiceError) => {
        if (flight) flight.met = met;
      };
      flight = { deadline, token: fly({ deadline: () => flight?.deadline ?? deadline, onRetry }) };
    }
    return flight.token;
  };

  return {
    get current() {
      return current && clock() < current.renewAt ? current : undefined;
    },
    async get(deadline) {
      if (current && clock() < current.renewAt) return current;
      try {
        return await join(deadline);
      } catch (error) {
        const now = clock();
        if (!current || now >= current.endsAt) throw error;
        current = { ...current, renewAt: (now + current.endsAt) / 2 };
        return current;
      }
    },
    refuse(token) {
      if (current === token) current = undefined;
    },
    get met() {
      return flight?.met;
    },
  };
}
