const SQLITE_CORRUPT = 11;
const SQLITE_NOTADB = 26;

/** True for the error of a SQLite file whose content is damaged, or is not SQLite's. */
export function isDamagedDatabase(error: unknown): boolean {
  const { errcode } = (error as { cause?: { errcode?: number } }).cause ?? {};
  return errcode !== undefined && [SQLITE_CORRUPT, SQLITE_NOTADB].includes(errcode & 0xff);
}
