import { join } from 'node:path';
import type { OwnContent } from '../tools/own-content.ts';
import type { Base } from './base.ts';

export function createOwnContent({ environment, storage }: Pick<Base, 'environment' | 'storage'>): OwnContent {
  const isTrusted = async (folder: string): Promise<boolean> => {
    const [trusted, { isWithin }] = await Promise.all([
      storage.trust.list(),
      import('../instructions/project-root.ts'),
    ]);
    return trusted.some((each) => isWithin(folder, each.folder));
  };
  return {
    isTrusted,
    async isOwnSkill({ name, source }, workspaceRoot) {
      if (source === 'workspace') return isTrusted(workspaceRoot);
      const { readRecord } = await import('../skills/install/record.ts');
      // Where the record cannot be read, nobody knows.
      const record = await readRecord(join(environment.home, 'skills')).catch(() => undefined);
      return record !== undefined && !record.damaged && !Object.hasOwn(record.skills, name);
    },
  };
}
