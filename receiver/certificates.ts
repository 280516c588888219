const MOST_KEPT = 10;
const PATIENCE_MS = 5_000;

/** Fetches the certificates by which SNS signs, and keeps them: their addresses never lead to another one. What is no certificate,
 *  such as an error page, is not kept.
 *  @returns the certificate at an address, as PEM; rejects when it can't be had now */
export function certificates(): (url: string) => Promise<string> {
  const kept = new Map<string, Promise<string>>();
  return url => {
    const certificate = kept.get(url) ?? fetchCertificate(url);
    // Of a topic that signs there is one at a time, and another one after months.
    if (kept.size >= MOST_KEPT && !kept.has(url)) kept.clear();
    kept.set(url, certificate);
    certificate.catch(() => kept.delete(url));
    return certificate;
  };
}

async function fetchCertificate(url: string): Promise<string> {
  const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(PATIENCE_MS) });
  const text = await response.text();
  if (response.ok && text.startsWith('-----BEGIN CERTIFICATE-----')) return text;
  throw new Error(`The certificate's address answered ${response.status}, and no certificate`);
}
