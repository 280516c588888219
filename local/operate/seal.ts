/** Requests and answers between a client on this machine and the server of a run (server.ts) are encrypted with the
 *  run's token, by AES-256-GCM; the token itself is never sent. So a program of another user that gets the port after
 *  the run ended can neither read nor answer a request. */

const IV_BYTES = 12;

/** The beginning of a read-only token. The server compares whole tokens; only the page goes by this. */
export const READ_ONLY = 'read-only-';

/** Encrypts a request, or the answer to the sealed request `answers`: it is not valid for any other request.
 *  @returns a random initialisation vector, then the cipher text */
export async function seal(
  token: string,
  text: string,
  answers?: Uint8Array,
): Promise<Uint8Array<ArrayBuffer>> {
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
  const bytes = new TextEncoder().encode(text);
  const encrypted = await crypto.subtle.encrypt(algorithm(iv, answers), await keyOf(token), bytes);
  const sealed = new Uint8Array(IV_BYTES + encrypted.byteLength);
  sealed.set(iv);
  sealed.set(new Uint8Array(encrypted), IV_BYTES);
  return sealed;
}

/** @returns undefined if the data was not sealed with this token, or does not answer `answers` */
export async function unseal(
  token: string,
  sealed: Uint8Array,
  answers?: Uint8Array,
): Promise<string | undefined> {
  const [iv, encrypted] = [sealed.slice(0, IV_BYTES), sealed.slice(IV_BYTES)];
  try {
    const bytes = await crypto.subtle.decrypt(algorithm(iv, answers), await keyOf(token), encrypted);
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

const algorithm = (iv: Uint8Array<ArrayBuffer>, answers: Uint8Array = new Uint8Array()) => ({
  name: 'AES-GCM',
  iv,
  // A request has no additional data, its answer has the request's vector: so they can't be mistaken for each other.
  additionalData: answers.slice(0, IV_BYTES),
});

async function keyOf(token: string) {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(token));
  return crypto.subtle.importKey('raw', digest, 'AES-GCM', false, ['encrypt', 'decrypt']);
}
