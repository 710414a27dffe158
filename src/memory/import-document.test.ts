import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeDocx, paragraph } from '../../test/support/make-office.ts';
import { makePdf } from '../../test/support/make-pdf.ts';
import { temporaryHome, testMemory } from '../../test/support/test-memory.ts';

it('documents are imported with their text, and left alone until their bytes change', async () => {
  const { memory } = testMemory();
  const folder = temporaryHome();
  const put = (name: string, bytes: Buffer): void => writeFileSync(join(folder, name), bytes);
  put('zeppelin.pdf', makePdf([{ lines: ['The zeppelin needs helium.'] }], { title: 'Airships' }));
  put('roses.docx', makeDocx(paragraph('Prune roses in March.')));
  put('locked.pdf', makePdf([{ lines: ['x'] }], { isLocked: true }));
  put('scan.pdf', makePdf([{ picture: { width: 2, height: 2, rgb: Buffer.alloc(12) } }]));
  put('notes.xlsx', Buffer.from('not one at all'));
  const first = await memory.importFolder(folder);
  expect(first).toMatchObject({ files: 2, added: 2 });
  expect(first.skipped.map(({ path, reason }) => `${path.slice(folder.length + 1)}: ${reason}`).toSorted()).toEqual([
    'locked.pdf: it is protected by a password: save a copy without one',
    'notes.xlsx: not what its name says',
    'scan.pdf: no text',
  ]);
  const { results } = await memory.search('what does the zeppelin need');
  expect(results[0]).toMatchObject({ title: 'Airships', source: join(folder, 'zeppelin.pdf') });

  utimesSync(join(folder, 'roses.docx'), 1, 1);
  expect(await memory.importFolder(folder)).toMatchObject({ files: 2, added: 0, unchanged: 2 });
  put('roses.docx', makeDocx(paragraph('Prune roses in April.')));
  expect(await memory.importFolder(folder)).toMatchObject({ files: 2, changed: 1, unchanged: 1 });
  expect(JSON.stringify(await memory.search('prune roses'))).not.toContain('March');
});
