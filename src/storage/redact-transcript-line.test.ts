import { expect, it } from 'vitest';
import { redactTranscriptLine } from './redact-transcript-line.ts';
import { createRedaction, REPLACEMENT } from './redaction.ts';

it('a text is forgotten where a file brought it into a turn that ran, and nothing else of the message changes', () => {
  const message = {
    id: 'msg-user-1',
    role: 'user',
    timestamp: '2026-01-02T03:04:05.000Z',
    content: 'look at the blue door',
    stage: 'steering',
    attached: ['<attached name="blue door.txt">\nthe Blue  door is open\n</attached>', 'nothing of it'],
    pictures: [{ mediaType: 'image/png', path: 'outputs/blue door.png' }],
  };
  const redacted = redactTranscriptLine(JSON.stringify({ type: 'message', message }), createRedaction('blue door'));
  expect(JSON.parse(redacted?.text ?? '')).toEqual({
    type: 'message',
    message: {
      ...message,
      content: `look at the ${REPLACEMENT}`,
      attached: [`<attached name="${REPLACEMENT}.txt">\nthe ${REPLACEMENT} is open\n</attached>`, 'nothing of it'],
    },
  });
});

it('a line that holds the text only in such a file is found', () => {
  const line = { type: 'message', message: { id: 'm', role: 'user', content: 'look', attached: ['a blue door'] } };
  expect(redactTranscriptLine(JSON.stringify(line), createRedaction('blue door'))?.text).not.toContain('blue door');
});
