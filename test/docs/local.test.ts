import { describe, expect, test } from 'vitest';
import { parseOptions } from '../../local/settings/options.ts';
import { documents, readDocument } from '../kit/docs/documents.ts';

/** Commands of a text that start the run, without what stands behind `#`, `|` or a second command. */
const startsIn = (page: string) =>
  [...page.matchAll(/(?:npm start --|changewire start|local\/main\.ts) ([^`#|&\n)]*)/g)].map(
    ([, args = '']) => args.trim(),
  );

/** Places for what the reader has to say. */
const filled = (args: string) =>
  args
    .replaceAll('…', 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')
    .replaceAll('https://MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'https://example.com/a')
    .replaceAll(/https?:\/\/[^ ]*…/g, 'https://example.com/a')
    .replaceAll('URL', 'http://localhost:9/a');

describe('the options of a start', () => {
  test.each(documents().flatMap(page => startsIn(readDocument(page)).map(args => ({ page, args }))))(
    'are used as they are: $args ($page)',
    ({ args }) => {
      expect(() => parseOptions(filled(args).split(' ').filter(Boolean))).not.toThrow();
    },
  );
});

describe('the README', () => {
  test('begins with the commands of a checkout, which are scripts of the project', () => {
    const [, first = ''] = /```sh\n(.*?)\n```/s.exec(readDocument('README.md')) ?? [];
    const commands = first.split('\n').map(line => line.replace(/ +#.*/, ''));
    expect(commands).toEqual(['npm ci && npm start', 'npm ci && npm test']);
    expect(JSON.parse(readDocument('package.json')).scripts).toMatchObject({
      start: expect.any(String),
      test: expect.any(String),
    });
  });
});
