import { createServer, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { type NodeRequest, Refusal } from '../../receiver/index.ts';
import { bodyOf } from '../../receiver/request.ts';
import { listenInTest } from '../kit/listen-in-test.ts';
import { refusalOf, webRequest } from '../kit/receiver/requests.ts';

const MAX_COUNT = 1024 * 1024;
/** With a byte order mark, which belongs to what was signed. */
const BODY = '\uFEFF{"name":"Zoë 🚀"}';

/** A server that tells what `read` makes of each request, with 200 or the refusal's status. */
async function serve(read: (request: IncomingMessage) => Promise<string>) {
  return listenInTest(
    createServer((request, response) => {
      read(request).then(
        body => response.end(body),
        error => {
          response.setHeader('connection', 'close');
          response.writeHead(error instanceof Refusal ? error.status : 500).end(String(error));
        },
      );
    }),
  );
}

/** What a framework does that parses bodies. */
async function parsed(request: IncomingMessage): Promise<void> {
  const chunks = (await request.toArray()) as Buffer[];
  Object.assign(request, { body: JSON.parse(Buffer.concat(chunks).toString().replace('\uFEFF', '')) });
}

async function post(url: string, body: string | Uint8Array<ArrayBuffer> = BODY) {
  const response = await fetch(url, { method: 'POST', body });
  return { status: response.status, text: Buffer.from(await response.arrayBuffer()).toString() };
}

describe("the body of a Node server's request", () => {
  it('is read from the request', async () => {
    const { url } = await serve(bodyOf);
    expect(await post(url)).toEqual({ status: 200, text: BODY });
    expect(await post(url, '')).toEqual({ status: 200, text: '' });
  });

  it('is read of whatever gives it in parts', async () => {
    const request = {
      headers: {},
      [Symbol.asyncIterator]: async function* () {
        yield BODY.slice(0, 5);
        yield Buffer.from(BODY.slice(5));
      },
    };
    expect(await bodyOf(request)).toBe(BODY);
  });

  it('is read where a parser that did not want it left an empty object', async () => {
    const { url } = await serve(request => bodyOf(Object.assign(request, { body: {} })));
    expect(await post(url)).toEqual({ status: 200, text: BODY });
  });

  it.each([
    ['rawBody', Buffer.from(BODY)],
    ['rawBody', BODY],
    ['body', Buffer.from(BODY)],
    ['body', new Uint8Array(Buffer.from(BODY))],
    ['body', BODY],
  ])('is what a framework kept as %s', async (name, kept) => {
    expect(await bodyOf({ headers: {}, [name]: kept })).toBe(BODY);
    const { url } = await serve(async request => {
      await parsed(request);
      return bodyOf(Object.assign(request, { [name]: kept }));
    });
    expect(await post(url)).toEqual({ status: 200, text: BODY });
  });

  it('must be kept by who parses it: a parsed one is told to the receiver', async () => {
    const { url } = await serve(async request => {
      await parsed(request);
      return bodyOf(request as NodeRequest);
    });
    expect(await post(url)).toEqual({
      status: 500,
      text: expect.stringMatching(/TypeError: .* was already parsed: .*Keep the raw body .*express\.raw/),
    });
  });

  it('must be kept by who reads it: one that was read is told to the receiver', async () => {
    const { url } = await serve(async request => {
      await request.toArray();
      return bodyOf(request);
    });
    expect(await post(url)).toEqual({
      status: 500,
      text: expect.stringMatching(/TypeError: .* was already read and not kept: .*Keep the raw body/),
    });
    for (const body of [undefined, null])
      await expect(bodyOf({ headers: {}, body })).rejects.toThrow(/was already read and not kept/);
    await expect(bodyOf({ headers: {}, body: { id: '1' } })).rejects.toThrow(TypeError);
  });

  it('is refused above a megabyte, and the sender gets the answer', async () => {
    const { url } = await serve(bodyOf);
    expect(await post(url, 'a'.repeat(MAX_COUNT))).toMatchObject({ status: 200 });
    expect(await post(url, 'a'.repeat(MAX_COUNT + 1))).toMatchObject({ status: 413 });
    for (const rawBody of ['a'.repeat(MAX_COUNT + 1), Buffer.alloc(MAX_COUNT + 1)])
      expect(await refusalOf(bodyOf({ headers: {}, rawBody }))).toMatchObject({ status: 413 });
  });

  it('is refused long before the end of one that has none', async () => {
    const { port } = await serve(bodyOf);
    const socket = connect(port, '127.0.0.1');
    socket.write(`POST / HTTP/1.1\r\nhost: a\r\ncontent-length: ${10 ** 9}\r\n\r\n`);
    socket.write('a'.repeat(MAX_COUNT + 1));
    const [answer] = await socket.take(1).toArray();
    expect(String(answer)).toMatch(/^HTTP\/1\.1 413 /);
    socket.destroy();
  });

  it('is refused when it ends too early', async () => {
    const refused = Promise.withResolvers<unknown>();
    const { port } = await serve(async request => {
      const reading = refusalOf(bodyOf(request));
      refused.resolve(reading);
      return JSON.stringify(await reading);
    });
    const socket = connect(port, '127.0.0.1');
    socket.write('POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 10\r\n\r\n1', () => socket.destroySoon());
    expect(await refused.promise).toEqual({ status: 400, message: 'The body is incomplete.' });
  });

  it('is refused when it is no UTF-8, though a decoder that is not strict would read what was signed', async () => {
    for (const bytes of [[0xff], [0xc3], [0xed, 0xa0, 0x80]]) {
      const rawBody = Uint8Array.from([...Buffer.from('{"name":"'), ...bytes, ...Buffer.from('"}')]);
      expect(await refusalOf(bodyOf({ headers: {}, rawBody }))).toEqual({
        status: 400,
        message: 'The body is not UTF-8.',
      });
    }
  });
});

describe("the body of the web's Request", () => {
  it('is read from the request', async () => {
    expect(await bodyOf(webRequest({ body: BODY, headers: {} }))).toBe(BODY);
    expect(await bodyOf(new Request('http://a.example/', { method: 'POST' }))).toBe('');
  });

  it('must not have been used: the receiver is told', async () => {
    const request = webRequest({ body: BODY, headers: {} });
    const copy = request.clone();
    await request.text();
    await expect(bodyOf(request)).rejects.toThrow(/^The request's body was already read: .*clone\(\)/);
    expect(await bodyOf(copy)).toBe(BODY);
  });

  it('is refused above a megabyte, and the rest is not asked for', async () => {
    let asked = 0;
    let isCancelled = false;
    const body = new ReadableStream({
      pull: controller => controller.enqueue(new Uint8Array(100_000 + ++asked)),
      cancel() {
        isCancelled = true;
      },
    });
    const request = new Request('http://a.example/', { method: 'POST', body, duplex: 'half' } as RequestInit);
    expect(await refusalOf(bodyOf(request))).toEqual({ status: 413, message: 'The body is too long.' });
    expect(isCancelled).toBe(true);
    expect(asked).toBeLessThan(15);
  });
});
