import { posix } from 'node:path';
import { readXml } from './xml.ts';
import type { Zip } from './zip.ts';

export interface Relationship {
  /** The last part of its type: "slide", "hyperlink". */
  type: string;
  /** The name of an entry, or an address of the web. */
  target: string;
}

/** What a part of an Office document names, by id. */
export function relationshipsOf(zip: Zip, part: string): ReadonlyMap<string, Relationship> {
  const folder = posix.dirname(part);
  const name = posix.join(folder, '_rels', `${posix.basename(part)}.rels`);
  const found = new Map<string, Relationship>();
  if (!zip.has(name)) return found;
  readXml(zip.read(name), {
    open(element, { Id, Type = '', Target = '', TargetMode }) {
      if (element !== 'Relationship' || Id === undefined) return;
      const target = TargetMode === 'External' ? Target : posix.join(Target.startsWith('/') ? '.' : folder, Target);
      found.set(Id, { type: Type.slice(Type.lastIndexOf('/') + 1), target: target.replace(/^\/+/, '') });
    },
  });
  return found;
}

/** The title that its author gave it. */
export function officeTitle(zip: Zip): string {
  let title = '';
  let isTitle = false;
  if (!zip.has('docProps/core.xml')) return '';
  readXml(zip.read('docProps/core.xml'), {
    open(name) {
      isTitle = name === 'title';
    },
    text(text) {
      if (isTitle) title += text;
    },
    close() {
      isTitle = false;
    },
  });
  return title.trim();
}
