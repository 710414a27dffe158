// What the program says by code (findings of the doctor, reasons of the audit log, errors) is in the language of the page.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { ru as auditRu } from '../../web/src/language/audit/audit-ru.ts';
import { zh as auditZh } from '../../web/src/language/audit/audit-zh.ts';
import { ru as doctorRu } from '../../web/src/language/doctor/doctor-ru.ts';
import { zh as doctorZh } from '../../web/src/language/doctor/doctor-zh.ts';
import { ru as errorsRu } from '../../web/src/language/errors/errors-ru.ts';
import { zh as errorsZh } from '../../web/src/language/errors/errors-zh.ts';
import { ru } from '../../web/src/language/ru.ts';
import { zh } from '../../web/src/language/zh.ts';
import { type ConsoleBrowser, openConsole } from '../support/console-browser.ts';

describe.each([
  { locale: 'zh-CN', texts: zh, doctor: doctorZh, audit: auditZh, errors: errorsZh },
  { locale: 'ru-RU', texts: ru, doctor: doctorRu, audit: auditRu, errors: errorsRu },
] as const)('in $locale', ({ locale, texts, doctor, audit, errors }) => {
  let opened: ConsoleBrowser;
  let page: Page;

  beforeAll(async () => {
    opened = await shared();
    page = await (await opened.signIn({ locale })).newPage();
  });

  async function open(path: string): Promise<void> {
    await page.goto(`${opened.address}#/${path}`);
    await page.reload();
  }

  it('a finding of the doctor and what to do about it', async () => {
    await open('doctor');
    const finding = doctor.findings['file.not-object'].replace('{path}', 'notes.json');
    const card = page.locator('.check.problem', { hasText: finding });
    await card.waitFor();
    expect(await card.textContent()).toContain(doctor.fixes.restore);
    expect(await card.textContent()).not.toContain('is not a JSON object');
  });

  it('why the audit log says that a call was refused, and that an operation was allowed', async () => {
    await open('audit');
    const { denied } = audit.reasons;
    const refused = page.locator('.lines li', { hasText: 'file_write' }).last();
    await refused.waitFor();
    const said = `${denied.replace('{tool}', 'file_write')}: ${audit.reasons['rule-denies'].replace('{rule}', 'file_write')}`;
    expect(await refused.textContent()).toContain(said);
    const saved = page.locator('.lines li', { hasText: 'memory.save' }).last();
    expect(await saved.textContent()).toContain(`${audit.reasons['from-machine']}: ${audit.reasons.change}`);
    expect(await saved.textContent()).toContain(`${texts['word.owner']} (${texts['word.terminal']})`);
  });

  it('how a note was saved, and whose it is', async () => {
    await open('memory');
    const note = page.locator('.card', { hasText: 'The payments service rounds half up.' });
    await note.getByText(`${texts['word.manual']} · ${texts['word.owner']}`).waitFor();
  });

  it('why a turn failed, with the original message as its detail', async () => {
    await open('chat/failing');
    const note = page.locator('.turn-end .note.problem');
    await note.getByText(errors.PROVIDER_AUTH).waitFor();
    expect(await note.textContent()).toContain('lainclaw auth login openai');
  });

  it('an error, with what the gateway said as its detail', async () => {
    await open('replay/nowhere');
    const note = page.getByRole('alert');
    await note.getByText(errors.SESSION_NOT_FOUND).waitFor();
    expect(await note.textContent()).toContain('nowhere');
  });
});

let sharedConsole: Promise<ConsoleBrowser> | undefined;

/** One gateway for both: with a damaged file, a refused call, a failed turn and an operation. */
function shared(): Promise<ConsoleBrowser> {
  sharedConsole ??= prepared();
  return sharedConsole;
}

async function prepared(): Promise<ConsoleBrowser> {
  const opened = await openConsole({
    script: ({ messages }) => {
      if (messages.some(({ text }) => text.includes('with a wrong key')))
        return { fault: { kind: 'status', status: 401 } };
      return messages.length < 3
        ? { toolCalls: [{ name: 'file_write', args: { path: 'note.md', content: '# Note\n' } }] }
        : { text: 'It was refused.' };
    },
  });
  writeFileSync(join(opened.home.path, 'permissions.json'), JSON.stringify({ version: 1, deny: ['file_write'] }), {
    mode: 0o600,
  });
  await opened.run(['ask', '--provider', 'openai', 'write a note']);
  await opened.run(['ask', '--provider', 'openai', '--session', 'failing', 'ask with a wrong key']);
  await opened.run(['memory', 'save', 'The payments service rounds half up.']);
  writeFileSync(join(opened.home.path, 'notes.json'), '"no object"', { mode: 0o600 });
  return opened;
}
