import type { Clock } from '../basics/clock.ts';
import type { ServiceError } from './errors.ts';
import type { TokenAnswer } from './token-answer.ts';

/** An access token in use. Compared by identity: an authorization server may well hand out the same text again. */
interface Token {
  readonly text: string;
}

/** One connection's token, shared by all its requests. */
export interface Tokens {
  /** A token that is still good for a while; all who ask at once share one token request. */
  get(deadline: number): Promise<Token>;
  /** The token that `get` would give without a request; undefined where one is needed. */
  readonly held: Token | undefined;
  /** Says that the service refused this token. */
  refuse(token: Token): void;
  /** The last failure of the token request under way, which is tried again; undefined where there is none. */
  readonly met: ServiceError | undefined;
}

interface Held extends Token {
  readonly endsAt: number;
  readonly renewAt: number;
}

interface Flight {
  deadline: number;
  readonly token: Promise<Held>;
  met?: ServiceError;
}

/** What a token request needs to know of those who wait for it, and tells them. */
export interface TokenWait {
  /** The latest of their deadlines. */
  deadline(): number;
  /** Told each failure that is tried again. */
  onRetry(met: ServiceError): void;
}

const HEAD_START = 60_000;

/**
 * Keeps the token of service-api.md §5, renewed 60 s before its end, or after 80 % of a short life. When renewing fails,
 * the old token serves as long as it lives.
 */
export function createTokens(clock: Clock, request: (wait: TokenWait) => Promise<TokenAnswer>): Tokens {
  let held: Held | undefined;
  let flight: Flight | undefined;

  const fly = async (wait: TokenWait): Promise<Held> => {
    const asked = clock();
    try {
      const { token, lifetime } = await request(wait);
      const renewAt = asked + Math.max(lifetime * 0.8, lifetime - HEAD_START);
      held = { text: token, endsAt: asked + lifetime, renewAt };
      return held;
    } finally {
      flight = undefined;
    }
  };

  const join = (deadline: number): Promise<Held> => {
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
    get held() {
      return held && clock() < held.renewAt ? held : undefined;
    },
    async get(deadline) {
      if (held && clock() < held.renewAt) return held;
      try {
        return await join(deadline);
      } catch (error) {
        const now = clock();
        if (!held || now >= held.endsAt) throw error;
        held = { ...held, renewAt: (now + held.endsAt) / 2 };
        return held;
      }
    },
    refuse(token) {
      if (held === token) held = undefined;
    },
    get met() {
      return flight?.met;
    },
  };
}
