/** What was dropped on the page: files can be sent, folders cannot. */
export function droppedFiles({ files, items }: Pick<DataTransfer, 'files' | 'items'>): {
  files: File[];
  folders: string[];
} {
  // The lists have the same order; a folder is a file of the first one that cannot be read.
  const entries = [...items].filter(({ kind }) => kind === 'file').map((item) => item.webkitGetAsEntry());
  const isFolder = (index: number): boolean => entries[index]?.isDirectory === true;
  return {
    files: [...files].filter((_, index) => !isFolder(index)),
    folders: [...files].filter((_, index) => isFolder(index)).map(({ name }) => name),
  };
}
