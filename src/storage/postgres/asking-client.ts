// Connections whose password is in neither the address nor PGPASSWORD: it is looked up in ~/.pgpass when the database asks for one, as every program of PostgreSQL
// does. The driver would do the same, but warns everybody that it will not for long.
import type { Client, ClientConfig } from 'pg';

/** Where a password is asked for. */
interface Entry {
  host: string;
  port: number;
  database: string;
  user: string;
}

/** The types of the driver leave them out. */
interface Inside {
  password?: unknown;
  connection?: { stream?: { destroy(): void } };
}

/** The driver's client, which reads PGPASSWORD itself. */
export async function createAskingClient(): Promise<typeof Client> {
  const driver = (await import('pg')).default;
  return class extends driver.Client {
    constructor(config?: string | ClientConfig) {
      super(config);
      const inside = this as unknown as Inside;
      inside.password ??= async (entry: Entry): Promise<string> => {
        const password = await passwordInFile(entry);
        if (password !== undefined) return password;
        // The database would wait for the password, and the driver leaves the connection open.
        inside.connection?.stream?.destroy();
        throw new Error(`it asks for the password of "${entry.user}": set PGPASSWORD, or add a line to ~/.pgpass`);
      };
    }
  };
}

/** Undefined where the file has no line for the entry, or where others can read the file. */
async function passwordInFile(entry: Entry): Promise<string | undefined> {
  // @ts-expect-error: the package has no types
  const { default: readPasswordFile } = await import('pgpass');
  return new Promise((resolve) => readPasswordFile(entry, resolve));
}
