import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { attachedPicture, attachedText, readAttached } from './attached.ts';
import { toolContext } from './tool-context.ts';
import { contextParts } from './turn-context.ts';

describe('attachments in a context', () => {
  it('are read back as they were written, in order', () => {
    const context = [
      attachedText({ name: 'a "b".txt', text: 'one\n\ntwo' }),
      attachedPicture('c.png'),
      attachedText({ name: '空.md', text: '' }),
    ].join('\n\n');
    expect(readAttached(context)).toEqual({
      attachments: [
        { kind: 'text', name: 'a "b".txt', text: 'one\n\ntwo' },
        { kind: 'image', name: 'c.png' },
        { kind: 'text', name: '空.md', text: '' },
      ],
      rest: '',
    });
  });

  it('may hold the closing mark themselves', () => {
    const text = 'x\n</attached>\ny';
    expect(readAttached(attachedText({ name: 'n', text })).attachments).toEqual([{ kind: 'text', name: 'n', text }]);
  });

  it('any text and name survive', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string(), (text, name) => {
        fc.pre(!/\n<\/attached>\n\n(?:<attached name="|\[picture |\[tool )/.test(`\n${text}`));
        expect(readAttached(attachedText({ name, text }))).toEqual({
          attachments: [{ kind: 'text', name, text }],
          rest: '',
        });
      }),
    );
  });

  it('are separated from the calls and from the other text', () => {
    const call = { id: 'c', name: 'tools.echo', args: { a: 1 }, source: 'model' };
    const calls = [{ call, effect: 'read', timestamp: '', result: { ok: true, text: 'r' } }];
    const attached = attachedText({ name: 'n', text: 't' });
    const content = `${attached}\n\n${toolContext([{ call, text: 'r' }])}`;
    const message = { id: 'm', role: 'system' as const, timestamp: '', content, route: '', stage: '' };
    expect(contextParts(message, { calls })).toEqual({
      attachments: [{ kind: 'text', name: 'n', text: 't' }],
      rest: '',
    });
    expect(contextParts({ ...message, content: 'something else' }, { calls }).rest).toBe('something else');
  });
});
