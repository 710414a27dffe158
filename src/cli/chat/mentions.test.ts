import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readEnvironment } from '../../config/environment.ts';
import type { Terminal } from '../terminal.ts';
import { mentionsIn, readMentions } from './mentions.ts';

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
const terminal = { environment: readEnvironment({ variables: {}, cwd: '/nowhere' }) } as Terminal;

function root(): string {
  const directory = mkdtempSync(join(tmpdir(), 'chat-mentions-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  mkdirSync(join(directory, 'src'));
  writeFileSync(join(directory, 'src', 'a b.txt'), 'alpha');
  writeFileSync(join(directory, 'a.txt'), 'alpha');
  writeFileSync(join(directory, 'p.png'), PNG);
  writeFileSync(join(directory, 'bin'), Buffer.from([0, 1, 2]));
  return directory;
}

describe('files that a message names', () => {
  it('follow an @ at the beginning of a word, once each', () => {
    expect(mentionsIn('look at @a.txt and @"src/a b.txt", @a.txt; me@example.com @')).toEqual([
      'a.txt',
      'src/a b.txt',
      'a.txt;',
    ]);
  });

  it('are attached when they exist, as text or as a picture', async () => {
    expect(await readMentions('see @a.txt, @"src/a b.txt" and (not @missing) @p.png.', root(), terminal)).toEqual({
      attachments: [
        { kind: 'text', name: 'a.txt', text: 'alpha' },
        { kind: 'text', name: 'src/a b.txt', text: 'alpha' },
        { kind: 'image', name: 'p.png', mimeType: 'image/png', data: PNG.toString('base64') },
      ],
      notices: ['There is no such file: @missing is sent as text'],
    });
  });

  it('that are folders are only text; that there is no such file is said, a few times at most', async () => {
    expect(await readMentions('@src @someone', root(), terminal)).toEqual({
      attachments: [],
      notices: ['There is no such file: @someone is sent as text'],
    });
    const pasted = await readMentions('@Get @Post @Put @Delete', root(), terminal);
    expect(pasted.notices).toHaveLength(3);
  });

  it('outside the workspace are only text, by whatever way they are named', async () => {
    const directory = root();
    const workspace = join(directory, 'src');
    symlinkSync(join(directory, 'a.txt'), join(workspace, 'link'));
    symlinkSync(join(workspace, 'a b.txt'), join(workspace, 'own'));
    const text = `pasted: @${join(directory, 'a.txt')} @../a.txt @link @own @${join(workspace, 'own')}`;
    const { attachments, notices } = await readMentions(text, workspace, terminal);
    expect(attachments.map(({ name }) => name)).toEqual(['own', join(workspace, 'own')]);
    expect(notices[1]).toBe('It is outside the workspace: @../a.txt is sent as text');
  });

  it('that cannot be attached are named', async () => {
    await expect(readMentions('read @bin', root(), terminal)).rejects.toThrow(
      '@file bin is a binary file: attach text',
    );
  });
});
