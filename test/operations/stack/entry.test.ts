import { describe, expect, it } from 'vitest';
import { handler } from '../../../functions/operate.ts';

describe('the operate function', () => {
  it('names what its environment lacks, at its first call and not at import', async () => {
    const context = { invokedFunctionArn: 'arn:aws:lambda:r:1:function:Changewire-operate:look' };
    await expect(handler({}, context)).rejects.toThrow(
      /^Invalid environment of operate\.ts.*UNSETTLED_QUEUE_URL.*Redeploy/s,
    );
  });
});
