import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { filePosition } from '../../../local/stream/position.ts';
import { temporaryDirectory } from '../../kit/temporary.ts';

const position = { streamArn: 'arn', shards: { s: { sequenceNumber: '7', ended: false } }, time: 42 };

test('a position is found again by whoever opens its file, and leaves no other file', () => {
  const directory = temporaryDirectory();
  const file = join(directory, 'position.json');
  expect(filePosition(file).load()).toBeUndefined();
  filePosition(file).save(position);
  expect(filePosition(file).load()).toEqual(position);
  expect(readdirSync(directory)).toEqual(['position.json']);
});

test.each(['', '{"streamArn":1}', 'no JSON'])('a damaged file (%j) is named with the remedy', text => {
  const file = join(temporaryDirectory(), 'position.json');
  writeFileSync(file, text);
  expect(() => filePosition(file).load()).toThrow(`${file} is damaged. Delete it`);
});
