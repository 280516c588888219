const MAX_KEPT = 10;
const MAX_UNDER_WAY = 10;
const TIMEOUT_MS = 5_000;

/** Fetches and caches the certificates of SNS: the certificate at an address never changes. Other content, such as an
 *  error page, is not cached. At most ten are fetched at once.
 *  @returns the certificate at an address, as PEM; rejects if it is not available now */
export function certificates(): (url: string) => Promise<string> {
  /** In the order of their last use. */
  const kept = new Map<string, string>();
  const underWay = new Map<string, Promise<string>>();
  const keep = (url: string, certificate: string): string => {
    kept.delete(url);
    kept.set(url, certificate);
    for (const oldest of kept.keys()) if (kept.size > MAX_KEPT) kept.delete(oldest);
    return certificate;
  };
  return async url => {
    const known = kept.get(url);
    if (known !== undefined) return keep(url, known);
    const begun = underWay.get(url);
    if (begun) return begun;
    if (underWay.size >= MAX_UNDER_WAY) throw new Error('Too many certificate requests at once');
    const fetching = fetchCertificate(url).then(certificate => keep(url, certificate));
    underWay.set(url, fetching);
    return fetching.finally(() => underWay.delete(url));
  };
}

async function fetchCertificate(url: string): Promise<string> {
  const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) });
  const text = await response.text();
  if (response.ok && text.startsWith('-----BEGIN CERTIFICATE-----')) return text;
  throw new Error(`No certificate in the response: ${response.status}`);
}
