import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { outputOf } from './result.ts';

describe('what a server answered', () => {
  it('becomes text, with its pictures beside it and other binary parts named and not shown', () => {
    const { ok, text, data, pictures } = outputOf({
      content: [
        { type: 'text', text: 'one' },
        { type: 'image', data: 'AAAA', mimeType: 'image/png' },
        { type: 'audio', data: 'AAAAAAAA', mimeType: 'audio/wav' },
        { type: 'resource_link', uri: 'a://b', name: 'link' },
        { type: 'resource', resource: { uri: 'a://c', mimeType: 'text/plain', text: 'inside' } },
        { type: 'resource', resource: { uri: 'a://d', blob: 'AAAA' } },
        { type: 'hologram', data: 'AAAA' },
      ],
    });
    expect(ok).toBe(true);
    expect(text.split('\n\n')).toEqual([
      'one',
      '[audio audio/wav, 6 bytes, not shown]',
      '[link: a://b]',
      '[a://c]\ninside',
      '[a://d, 3 bytes, not shown]',
      '[hologram, not shown]',
    ]);
    expect(JSON.stringify(data)).not.toContain('AAAA');
    expect(pictures).toEqual([{ mediaType: 'image/png', data: 'AAAA' }]);
  });

  it('is a failure when the server says so, and its structure speaks where there is no text', () => {
    expect(outputOf({ content: [], structuredContent: { a: 1 }, isError: true })).toEqual({
      ok: false,
      text: '{"a":1}',
      data: { content: [], structuredContent: { a: 1 } },
    });
    const both = outputOf({ content: [{ type: 'text', text: 'said' }], structuredContent: { a: 1 } });
    expect(both.text).toBe('said');
  });

  it('is followed by what we have to say, and loses nothing by it', () => {
    expect(outputOf({ content: [], structuredContent: { a: 1 }, notes: ['it asked'] })).toEqual({
      ok: true,
      text: '{"a":1}\n\nit asked',
      data: { content: [], structuredContent: { a: 1 }, notes: ['it asked'] },
    });
  });

  it('can be anything: the output is text and JSON', () => {
    const part = fc.oneof(
      fc.dictionary(fc.string(), fc.jsonValue()),
      fc.record({
        type: fc.constantFrom('text', 'image', 'audio', 'resource', 'resource_link', 'x'),
        text: fc.jsonValue(),
        data: fc.jsonValue(),
        resource: fc.jsonValue(),
      }),
    );
    fc.assert(
      fc.property(fc.array(part), fc.option(fc.jsonValue(), { nil: undefined }), (content, structuredContent) => {
        const { text, data } = outputOf({ content, structuredContent });
        expect(typeof text).toBe('string');
        expect(() => JSON.stringify(data)).not.toThrow();
      }),
    );
  });
});
