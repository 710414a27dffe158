import { expect, it, onTestFinished, vi } from 'vitest';
import { pageHeaders } from './call.ts';

it('each console at one origin sends what its own sign-in kept', () => {
  onTestFinished(() => void vi.unstubAllGlobals());
  const kept = new Map([
    ['lainclaw-page', 'of an earlier version'],
    ['lainclaw-page:/', 'first'],
    ['lainclaw-page:/second/', 'second'],
  ]);
  vi.stubGlobal('localStorage', { getItem: (key: string) => kept.get(key) ?? null });
  const sentBy = (address: string): unknown => {
    vi.stubGlobal('document', { baseURI: `https://example.com${address}` });
    return pageHeaders()['x-lainclaw-page'];
  };
  expect(['/#/chat', '/second/', '/third/'].map(sentBy)).toEqual(['first', 'second', 'of an earlier version']);
});
