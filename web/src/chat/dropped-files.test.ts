import { expect, it } from 'vitest';
import { droppedFiles } from './dropped-files.ts';

const item = (isDirectory: boolean | undefined, kind = 'file') => ({
  kind,
  webkitGetAsEntry: () => (isDirectory === undefined ? null : { isDirectory }),
});

function drop(items: object[], names: string[]) {
  const given = { items, files: names.map((name) => ({ name })) } as unknown as DataTransfer;
  const { files, folders } = droppedFiles(given);
  return { files: files.map(({ name }) => name), folders };
}

it('a folder is not mistaken for the files beside it, also where text was dragged along', () => {
  const items = [item(false), item(undefined, 'string'), item(true), item(false)];
  expect(drop(items, ['a.txt', 'photos', 'b.txt'])).toEqual({ files: ['a.txt', 'b.txt'], folders: ['photos'] });
});

it('what has no entry, such as a picture of another page, is a file', () => {
  expect(drop([item(undefined)], ['image.png'])).toEqual({ files: ['image.png'], folders: [] });
});
