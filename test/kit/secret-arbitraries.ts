import fc from 'fast-check';

const chars = (alphabet: string, min: number, max: number) =>
  // Without bias: fast-check prefers texts of few different letters, and machines don't.
  fc.noBias(fc.string({ unit: fc.constantFrom(...alphabet), minLength: min, maxLength: max }));

const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const UPPER = LOWER.toUpperCase();
const DIGITS = '0123456789';

/** Random secrets as machines make them: tokens, keys, hashes. */
const random = fc.oneof(
  chars(LOWER + UPPER + DIGITS, 20, 64),
  chars(`${LOWER}${UPPER}${DIGITS}-_`, 24, 86),
  chars(`${LOWER}${UPPER}${DIGITS}+/`, 32, 64),
  chars('0123456789abcdef', 32, 64),
  chars(UPPER + DIGITS, 20, 32),
  chars(LOWER, 20, 40),
  chars(DIGITS, 12, 20),
  fc.noBias(fc.uuid()),
);

/** A text with a secret, as somebody may put it into a configuration, and the part that must not be
 *  shown. */
export const secrets = random.chain(secret =>
  fc
    .constantFrom(
      secret,
      `whsec_${secret}`,
      `Bearer ${secret}`,
      // Encoded: a slash would end the host, which is no secret, in the middle of this one.
      `https://user:${encodeURIComponent(secret)}@api.example.com`,
      `https://${encodeURIComponent(secret)}@api.example.com/events`,
      `https://hooks.slack.com/services/T0AB/B0CD/${secret}`,
      `https://example.com/hook?sig=${secret}`,
      `http://10.0.0.1/${secret}`,
    )
    .map(text => ({ text, secret })),
);

/** The first eight consecutive characters of the secret that a text shows; undefined when it shows none. */
export function leakIn(text: string, secret: string): string | undefined {
  for (let at = 0; at + 8 <= secret.length; at++) {
    const part = secret.slice(at, at + 8);
    if (text.includes(part)) return part;
  }
  return undefined;
}
