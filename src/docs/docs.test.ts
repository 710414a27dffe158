import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createDocs, type Docs, findDocsDirectory } from './docs.ts';
import type { EmbedTexts } from './meaning.ts';
import { wordsOf } from './words.ts';

const PAGES = {
  'guide.md': '# Guide\n\nStart here.\n\n## Files\n\nRead a file with `fs.read_file`; `maxBytes` limits it.\n',
  'tools/shell.md':
    '# Shell\n\n## Timeouts\n\nA command that runs too long is stopped.\n\n## Permissions\n\nEach command is approved by a person.\n',
  'tools/zh.md': '# 中文\n\n## 工作区\n\n所有文件工具都限制在工作区内。\n',
};

function docsOf(pages: Record<string, string>): { docs: Docs; directory: string } {
  const directory = mkdtempSync(join(tmpdir(), 'lainclaw-docs-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  for (const [path, text] of Object.entries(pages)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  }
  return { directory, docs: createDocs({ directory: async () => directory }) };
}

describe('list', () => {
  it('tells every page with its title and sections, a page before the folders beside it', async () => {
    expect(await docsOf(PAGES).docs.list()).toEqual([
      { path: 'guide.md', title: 'Guide', sections: [{ address: 'guide.md#files', heading: 'Files', level: 2 }] },
      {
        path: 'tools/shell.md',
        title: 'Shell',
        sections: [
          { address: 'tools/shell.md#timeouts', heading: 'Timeouts', level: 2 },
          { address: 'tools/shell.md#permissions', heading: 'Permissions', level: 2 },
        ],
      },
      {
        path: 'tools/zh.md',
        title: '中文',
        sections: [{ address: 'tools/zh.md#工作区', heading: '工作区', level: 2 }],
      },
    ]);
  });

  it('says so when the documentation is missing', async () => {
    await expect(createDocs({ directory: async () => '/nowhere/docs' }).list()).rejects.toMatchObject({
      code: 'DOCS_MISSING',
    });
  });
});

describe('read', () => {
  it('gives a page, or a section by its address or its heading', async () => {
    const { docs } = docsOf(PAGES);
    expect((await docs.read('tools/shell.md')).text).toContain('## Permissions');
    const section = {
      address: 'tools/shell.md#timeouts',
      title: 'Shell › Timeouts',
      text: '## Timeouts\n\nA command that runs too long is stopped.',
    };
    expect(await docs.read('tools/shell.md#timeouts')).toEqual(section);
    expect(await docs.read('./tools/shell.md#Timeouts')).toEqual(section);
    expect((await docs.read('tools/zh.md#工作区')).text).toContain('限制在工作区内');
  });

  it('names the nearest page or section when there is none', async () => {
    const { docs } = docsOf(PAGES);
    await expect(docs.read('tools/shel.md')).rejects.toThrow('did you mean tools/shell.md?');
    await expect(docs.read('docs/tools/shell.md')).rejects.toThrow('did you mean tools/shell.md?');
    await expect(docs.read('shell.md')).rejects.toThrow('did you mean tools/shell.md?');
    await expect(docs.read('tools/shell')).rejects.toThrow('did you mean tools/shell.md?');
    await expect(docs.read('tools/shell.md#timeout')).rejects.toThrow('did you mean tools/shell.md#timeouts?');
  });

  it.each([
    '../package.json',
    'tools/../../package.json',
    '/etc/passwd',
    'C:\\secret.md',
    'tools\\shell.md',
    'a\0b.md',
    '',
    '#files',
  ])('refuses the path %j', async (path) => {
    await expect(docsOf(PAGES).docs.read(path)).rejects.toMatchObject({ code: 'DOCS_INVALID_PATH' });
  });

  it('knows nothing of links and other files', async () => {
    const { docs, directory } = docsOf({ ...PAGES, 'image.svg': '<svg/>' });
    symlinkSync('/etc/hostname', join(directory, 'link.md'));
    await expect(docs.read('link.md')).rejects.toMatchObject({ code: 'DOCS_NOT_FOUND' });
    await expect(docs.read('image.svg')).rejects.toMatchObject({ code: 'DOCS_NOT_FOUND' });
  });
});

describe('search', () => {
  const best = async (query: string): Promise<string | undefined> =>
    (await docsOf(PAGES).docs.search(query))[0]?.address;

  it('finds the section, with the line that matches', async () => {
    const [hit] = await docsOf(PAGES).docs.search('who approves a command');
    expect(hit).toMatchObject({ address: 'tools/shell.md#permissions', title: 'Shell › Permissions' });
    expect(hit?.snippet).toBe('Each command is approved by a person.');
  });

  it('finds beginnings, endings and the parts of names', async () => {
    expect(await best('permiss')).toBe('tools/shell.md#permissions');
    expect(await best('timeout')).toBe('tools/shell.md#timeouts');
    expect(await best('persons')).toBe('tools/shell.md#permissions');
    expect(await best('bytes')).toBe('guide.md#files');
    expect(await best('read_file')).toBe('guide.md#files');
    expect(await best('fs.read_file')).toBe('guide.md#files');
  });

  it('finds text in a script without spaces', async () => {
    expect(await best('文件工具')).toBe('tools/zh.md#工作区');
  });

  it('returns as many as were asked for, five by default, and none where nothing matches', async () => {
    const many = Array.from({ length: 9 }, (_, index) => `## Word ${index}\n\nword\n`).join('\n');
    const { docs } = docsOf({ 'many.md': many });
    expect(await docs.search('word')).toHaveLength(5);
    expect(await docs.search('word', { topK: 8 })).toHaveLength(8);
    expect(await docs.search('xylophone')).toEqual([]);
  });

  it('takes any text as a query', async () => {
    const { docs } = docsOf(PAGES);
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 200 }), async (query) => {
        for (const { score } of await docs.search(query)) expect(score).toBeGreaterThan(0);
      }),
    );
  });
});

describe('the documentation of this version', () => {
  const docs = createDocs({ directory: () => findDocsDirectory(import.meta.dirname) });

  it('can be read page by page and section by section', async () => {
    const pages = await docs.list();
    expect(pages.map(({ path }) => path)).toEqual(expect.arrayContaining(['architecture.md', 'tools/overview.md']));
    for (const { path, sections } of pages) {
      expect((await docs.read(path)).text.length).toBeGreaterThan(20);
      for (const { address } of sections) expect((await docs.read(address)).address).toBe(address);
    }
  });

  it.each([
    ['how do I install a skill', 'tools/skills.md'],
    ['where is a result kept that was cut for the model', 'tools/overview.md'],
    ['LAINCLAW_HOME environment variable', 'config/config.md'],
    ['search the documentation', 'tools/docs.md'],
    ['current date in another timezone', 'tools/utils.md'],
  ])('answers "%s" with %s among the first three', async (query, path) => {
    const hits = await docs.search(query, { topK: 3 });
    expect(hits.map(({ address }) => address.replace(/#.*/, ''))).toContain(path);
  });

  it.each([
    ['how do I stop the gateway', 'gateway/service.md#start-and-stop'],
    ['怎么停止网关', 'gateway/service.md#start-and-stop'],
    ['как остановить шлюз', 'gateway/service.md#start-and-stop'],
    ['怎么撤销修改', 'tools/files.md#undo'],
    ['Как отменить изменения?', 'tools/files.md#undo'],
    ['子代理', 'tools/subagent.md'],
    ['怎么连接飞书机器人', 'gateway/feishu.md'],
    ['подключить бота в телеграме', 'gateway/telegram.md'],
    ['每天早上的定时任务', 'tools/schedule.md'],
    ['автодополнение', 'completion.md'],
  ])('answers "%s" with %s first', async (query, address) => {
    const [hit] = await docs.search(query);
    expect(address.includes('#') ? hit?.address : hit?.address.replace(/#.*/, '')).toBe(address);
  });
});

describe('by meaning', () => {
  /** Texts about animals are alike. */
  const embedAnimals: EmbedTexts = async (texts) =>
    texts.map((text) => Float32Array.of(/feline|cat/i.test(text) ? 1 : 0, /dog|hound/i.test(text) ? 1 : 0, 0.1));
  const pages = { 'a.md': '# A\n\n## Hounds\n\nOf dogs.\n\n## Felines\n\nOf tigers.\n' };
  const withModel = (embed: EmbedTexts): Docs => createDocs({ directory: async () => docsOf(pages).directory, embed });

  it('finds a section that has no word of the question', async () => {
    expect(await docsOf(pages).docs.search('my cat')).toEqual([]);
    expect((await withModel(embedAnimals).search('my cat'))[0]?.address).toBe('a.md#felines');
  });

  it.each<[string, EmbedTexts]>([
    ['there is no model', async () => undefined],
    ['the model fails', () => Promise.reject(new Error('out of memory'))],
    [
      'the model fails for the question alone',
      async (texts, kind) => (kind === 'query' ? undefined : embedAnimals(texts, kind)),
    ],
  ])('goes by words where %s', async (_case, embed) => {
    expect((await withModel(embed).search('dogs'))[0]?.address).toBe('a.md#hounds');
  });
});

it('words are whole, in lower case, with the parts of names beside them', () => {
  expect(wordsOf('Set `maxBytes` for fs.read_file')).toEqual([
    ...['set', 'maxbytes', 'max', 'bytes', 'for', 'fs', 'read_file', 'read', 'file'],
  ]);
  expect(wordsOf('Память, ещё раз')).toEqual(['память', 'ещё', 'раз']);
  expect(wordsOf('工作区 A区')).toEqual(['工作', '作区', '区', 'a']);
  expect(wordsOf('— __ …')).toEqual([]);
});
