import { expect, it, onTestFinished } from 'vitest';
import { poster } from '../../../local/sns/http.ts';
import { answer, startReceiver } from '../../kit/delivery/receiver.ts';

it.each([
  ['the beginning of an answer', 'no such project', 'no such project'],
  ['nothing of an answer that repeats the password of the URL', 'who is me:s3cret-word?', undefined],
])('%s is told of a refusal', async (_, body, told) => {
  const receiver = await startReceiver(answer(400, {}, body));
  const { post, close } = poster(new URL(receiver.url.replace('//', '//me:s3cret-word@')), 1, 5_000);
  onTestFinished(async () => {
    await close();
    await receiver.stop();
  });
  const result = { outcome: 'refused', reason: 'answered 400', answer: told };
  expect(await post({ headers: {}, body: '{}' })).toEqual(result);
});
