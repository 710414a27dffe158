import fc from 'fast-check';
import { expect, it } from 'vitest';
import { growBlocks, NO_BLOCKS } from './blocks.ts';

const piece = fc.constantFrom(
  'word ',
  '# Title\n',
  '\n\n',
  '- item\n',
  '  more of it\n',
  '1. one\n',
  '```js\n',
  'const a = 1;\n',
  '```\n',
  '> quote\n',
  '| a | b |\n',
  '|---|---|\n',
  '**',
  '`',
  '\n',
  '---\n',
  '    code\n',
);

it('text that grows piece by piece gives the same blocks as the whole text', () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      let grown = NO_BLOCKS;
      let text = '';
      for (const each of pieces) {
        text += each;
        grown = growBlocks(grown, text);
      }
      const whole = growBlocks(NO_BLOCKS, text);
      expect(grown.blocks.map(({ raw }) => raw)).toEqual(whole.blocks.map(({ raw }) => raw));
    }),
  );
});

it('only the end is read again', () => {
  const before = growBlocks(NO_BLOCKS, 'First.\n\nSecond.\n\nThi');
  const after = growBlocks(before, 'First.\n\nSecond.\n\nThird.');
  expect(after.blocks[0]).toBe(before.blocks[0]);
  expect(after.blocks[1]).toBe(before.blocks[1]);
  expect(after.blocks[2]?.raw).toBe('Third.');
});
