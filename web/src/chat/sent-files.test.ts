import { expect, it } from 'vitest';
import { shownQuestion } from './sent-files.ts';

it('files that a question names are shown by their names, pictures are left to be shown as such', () => {
  const question = [
    'Compare these.',
    '[file saved as inbox/2026-11-16/report-1a2b3c4d.pdf]',
    '[picture saved as inbox/2026-11-16/photo-00000000.png]',
    '[file saved as inbox/2026-11-16/Отчёт-aaaaaaaa.xlsx]',
    '[file saved as inbox/2026-11-16/film-bbbbbbbb.mp4; its content is not attached: it is neither a text, a picture nor a document]',
  ].join('\n\n');
  expect(shownQuestion({ question })).toEqual({
    text: 'Compare these.',
    files: [
      { name: 'report.pdf', path: 'inbox/2026-11-16/report-1a2b3c4d.pdf' },
      { name: 'Отчёт.xlsx', path: 'inbox/2026-11-16/Отчёт-aaaaaaaa.xlsx' },
      { name: 'film.mp4', path: 'inbox/2026-11-16/film-bbbbbbbb.mp4' },
    ],
    again: [
      { name: 'report.pdf', id: 'inbox/2026-11-16/report-1a2b3c4d.pdf' },
      { name: 'photo.png', id: 'inbox/2026-11-16/photo-00000000.png' },
      { name: 'Отчёт.xlsx', id: 'inbox/2026-11-16/Отчёт-aaaaaaaa.xlsx' },
      { name: 'film.mp4', id: 'inbox/2026-11-16/film-bbbbbbbb.mp4' },
    ],
  });
});

it('a question that is a file alone has no text', () => {
  expect(shownQuestion({ question: '[file notes.txt]' })).toEqual({
    text: '',
    files: [{ name: 'notes.txt' }],
    again: [],
  });
});

it('what a person wrote in brackets stays text', () => {
  for (const question of ['see [file saved as x]', '[file: notes]', 'why?\n[file a.txt]', '[picture a.png]'])
    expect(shownQuestion({ question })).toEqual({ text: question, files: [], again: [] });
});

it('before the transcript has the question, the files are those that this page sent', () => {
  const files = [
    { name: 'a.pdf', id: 'upload-1' },
    { name: 'b.png', id: 'upload-2', picture: 'blob:1' },
  ];
  expect(shownQuestion({ question: 'read', files })).toEqual({
    text: 'read',
    files: [{ name: 'a.pdf' }],
    again: [
      { name: 'a.pdf', id: 'upload-1' },
      { name: 'b.png', id: 'upload-2' },
    ],
  });
});
