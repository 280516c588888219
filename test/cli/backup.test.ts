import { describe, expect, it } from 'vitest';
import { run } from '../kit/cli/world.ts';

/** What the command asks for, and what it says. */
async function backUp(...args: string[]) {
  const asked: unknown[] = [];
  const told = await run(['backup', ...args], {
    backUp: async (place, to) => {
      asked.push({ ...place, to });
      return 'found';
    },
  });
  return { ...told, asked };
}

describe('changewire backup', () => {
  it('says which directory was copied, and how to go on from the copy', async () => {
    expect(await backUp('copy')).toMatchObject({
      ...{ code: 0, err: '', asked: [{ to: 'copy' }] },
      out: 'Copied found to copy. To continue from the copy: npx changewire start --data copy\n',
    });
  });

  it('copies the directory that is named', async () => {
    expect(await backUp('copy', '--data', 'data')).toMatchObject({ asked: [{ data: 'data', to: 'copy' }] });
  });

  it('tells programs, too', async () => {
    const { out } = await backUp('copy', '--json');
    expect(JSON.parse(out)).toEqual({ from: 'found', to: 'copy' });
  });
});
