/** Runs as an ordinary user also where the tests run as root. */
export async function withoutPrivileges(run: () => Promise<void>): Promise<void> {
  if (process.geteuid?.() !== 0) return run();
  process.seteuid?.(65534);
  try {
    await run();
  } finally {
    process.seteuid?.(0);
  }
}
