import { createServer } from 'node:http';
import { describe, expect, it } from 'vitest';
import { certificates } from '../../receiver/certificates.ts';
import { listenInTest } from '../kit/listen-in-test.ts';

const PEM = '-----BEGIN CERTIFICATE-----\nMII…\n-----END CERTIFICATE-----\n';

/** A place of certificates, what it was asked for, and what it answers. */
async function place() {
  const asked: string[] = [];
  const answer = { status: 200, text: PEM };
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    // Who follows a redirection finds a certificate: it must not.
    response
      .writeHead(request.url === '/other' ? 200 : answer.status, { location: '/other' })
      .end(answer.text);
  });
  const { url } = await listenInTest(server);
  return { url, asked, answer };
}

describe('the certificates of SNS', () => {
  it('are fetched once, though several messages wait for one', async () => {
    const { url, asked } = await place();
    const certificateAt = certificates();
    const both = await Promise.all([certificateAt(`${url}/a`), certificateAt(`${url}/a`)]);
    expect([...both, await certificateAt(`${url}/a`)]).toEqual([PEM, PEM, PEM]);
    expect(asked).toEqual(['/a']);
  });

  it.each([
    [500, '<html>Later</html>'],
    [200, '<html>Later</html>'],
    [404, PEM],
    [302, PEM],
  ])('are not what answers %i with %j: that is asked for again', async (status, text) => {
    const { url, asked, answer } = await place();
    const certificateAt = certificates();
    Object.assign(answer, { status, text });
    await expect(certificateAt(`${url}/a`)).rejects.toThrow();
    Object.assign(answer, { status: 200, text: PEM });
    expect(await certificateAt(`${url}/a`)).toBe(PEM);
    expect(asked).toEqual(['/a', '/a']);
  });

  it('stay kept, however many invented names are asked for, of which ten are fetched at once', async () => {
    const { url, asked, answer } = await place();
    const certificateAt = certificates();
    await certificateAt(`${url}/a`);
    Object.assign(answer, { status: 404 });
    const invented = Array.from({ length: 30 }, (_, index) => certificateAt(`${url}/invented-${index}`));
    expect((await Promise.allSettled(invented)).map(({ status }) => status)).toEqual(
      Array(30).fill('rejected'),
    );
    expect(asked).toHaveLength(11);
    expect(await certificateAt(`${url}/a`)).toBe(PEM);
    await expect(certificateAt(`${url}/invented-29`)).rejects.toThrow();
    expect(asked.slice(11)).toEqual(['/invented-29']);
  });

  it('are kept by ten, without the one that was used longest ago', async () => {
    const { url, asked } = await place();
    const certificateAt = certificates();
    const ten = Array.from({ length: 10 }, (_, index) => `${url}/${index}`);
    for (const one of [...ten, ...ten]) await certificateAt(one);
    expect(asked).toHaveLength(10);
    await certificateAt(`${url}/more`);
    for (const one of ten.slice(1)) await certificateAt(one);
    await certificateAt(`${url}/0`);
    expect(asked.slice(10)).toEqual(['/more', '/0']);
  });
});
