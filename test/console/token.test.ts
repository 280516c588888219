import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { awaitToken, isOfBrowser, keepToken, shareToken, takeToken } from '../../console/state/token.ts';
import { newReadOnlyToken } from '../../local/operate/address.ts';

const TOKEN = 'abcdefghijklmnopqrstuvwx';

/** The storage of a tab. All of these tests are one tab that speaks with itself over another channel. */
function storage(): Pick<Storage, 'getItem' | 'setItem'> {
  const kept = new Map<string, string>();
  return { getItem: key => kept.get(key) ?? null, setItem: (key, value) => void kept.set(key, value) };
}

beforeEach(() => {
  for (const name of ['sessionStorage', 'localStorage']) vi.stubGlobal(name, storage());
});
afterEach(() => void vi.unstubAllGlobals());

function otherTab() {
  const got: unknown[] = [];
  const channel = new BroadcastChannel('changewire-token');
  channel.addEventListener('message', ({ data }) => got.push(data));
  onTestFinished(() => channel.close());
  return { got, channel };
}

/** What a tab that is opened at this address takes. */
function opened(hash: string) {
  vi.stubGlobal('location', { hash });
  const replaceState = vi.fn();
  vi.stubGlobal('history', { replaceState });
  return { token: takeToken(), replaceState };
}

describe('the token of the console', () => {
  it.each([
    ['that can change things is kept for the tab', TOKEN, undefined],
    ['that is read-only is kept for the browser, for bookmarks', newReadOnlyToken(), 'kept'],
  ])('%s', (_, token, kept) => {
    const { replaceState, ...first } = opened(`#token=${token}`);
    expect(first).toEqual({ token });
    expect(replaceState).toHaveBeenCalledWith(null, '', '#/now');
    expect([opened('#/event/1').token, isOfBrowser()]).toEqual([token, false]);
    vi.stubGlobal('sessionStorage', storage());
    expect([opened('#/event/1').token, isOfBrowser()]).toEqual([kept && token, true]);
  });

  it('is handed to another tab only once the server that answers now has proven that it knows it', async () => {
    keepToken(TOKEN);
    const ending = new AbortController();
    onTestFinished(() => ending.abort());
    const { got, channel } = otherTab();
    const asked = vi
      .fn<() => Promise<void>>()
      .mockRejectedValueOnce(new Error('Another program answers here now.'))
      .mockResolvedValue();
    shareToken(asked, ending.signal);
    await vi.waitFor(() => expect(got).toEqual([{ kind: 'opened' }]));
    channel.postMessage({ kind: 'wanted' });
    await vi.waitFor(() => expect(asked).toHaveBeenCalledTimes(1));
    channel.postMessage({ kind: 'wanted' });
    await vi.waitFor(() => expect(got).toContainEqual({ kind: 'token', token: TOKEN }));
    expect(asked).toHaveBeenCalledTimes(2);
    expect(got).toHaveLength(2);
  });

  it('is waited for, also until a tab opens, and taken only when it is another one', async () => {
    keepToken('x'.repeat(24));
    const kept = vi.fn();
    onTestFinished(awaitToken(kept));
    const { got, channel } = otherTab();
    channel.postMessage({ kind: 'opened' });
    await vi.waitFor(() => expect(got).toContainEqual({ kind: 'wanted' }));
    channel.postMessage({ kind: 'token', token: 'x'.repeat(24) });
    channel.postMessage({ kind: 'token', token: TOKEN });
    await vi.waitFor(() => expect(kept).toHaveBeenCalledTimes(1));
    expect(sessionStorage.getItem('changewire-token')).toBe(TOKEN);
  });
});
