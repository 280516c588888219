/** Whether the server at this address knows the token; this is found out without sending it. A run that
 *  was stopped gives its port free, and whatever listens there by then must not get the token. */
export async function provesToken(token: string, send: typeof fetch, signal?: AbortSignal): Promise<boolean> {
  const challenge = base64url(crypto.getRandomValues(new Uint8Array(24)));
  const response = await send(`/operations?challenge=${challenge}`, {
    cache: 'no-store',
    ...(signal && { signal }),
  });
  const body: unknown = await response.json();
  const given = typeof body === 'object' && body !== null && 'proof' in body ? body.proof : undefined;
  return given === (await proofOf(token, challenge));
}

/** The same as in local/operate/address.ts. */
async function proofOf(token: string, challenge: string): Promise<string> {
  const bytes = (text: string) => new TextEncoder().encode(text);
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', bytes(token), algorithm, false, ['sign']);
  return base64url(new Uint8Array(await crypto.subtle.sign('HMAC', key, bytes(`changewire ${challenge}`))));
}

function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}
