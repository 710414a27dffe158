import { expect, it } from 'vitest';
import { errorsOf, openConsole } from '../support/console-browser.ts';

const HOSTILE = [
  '[click](javascript:document.title="owned")',
  '<img src="x" onerror="document.title=\'owned\'">',
  '<script>document.title = "owned"</script>',
  '<svg onload="document.title=\'owned\'"></svg>',
  '<style>body { display: none }</style>',
  '<iframe src="https://example.com"></iframe>',
  '<form action="https://example.com"><button>Send</button></form>',
  '<a href="https://example.com" id="content" style="position:fixed;inset:0">cover</a>',
  '<dialog open class="veil">Sign in again</dialog>',
  '<input type="password"><textarea></textarea><select><option>one</option></select>',
  '<p class="dialog">like a part of the page</p>',
  '- [x] done\n- [ ] open',
  '![a picture](https://example.com/seen.png?secret)',
  'The end.',
].join('\n\n');

it('what a model wrote runs nothing, loads nothing from elsewhere and covers nothing', async () => {
  const opened = await openConsole({ script: [{ text: HOSTILE }] });
  const page = await (await opened.signIn()).newPage();
  const errors = errorsOf(page);
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await page.goto(`${opened.address}#/chat`);
  await page.getByRole('textbox', { name: 'Message' }).fill('be evil');
  await page.keyboard.press('Enter');
  const answer = page.getByRole('article', { name: 'Answer' });
  await answer.getByText('The end.').waitFor();
  await page.getByRole('button', { name: 'Ask again', exact: true }).waitFor();
  expect(await page.title()).not.toBe('owned');
  expect(await answer.locator('script, style, iframe, form, button, svg, img, [onerror], [style], [id]').count()).toBe(
    0,
  );
  expect(await answer.locator('dialog, input, textarea, select, .veil, .dialog').count()).toBe(0);
  await answer.getByText('☑ done').waitFor();
  await answer.getByText('☐ open').waitFor();
  const links = await answer.locator('a').evaluateAll((all) => all.map((link) => link.getAttribute('href')));
  expect(links.filter((href) => href?.startsWith('javascript:'))).toEqual([]);
  expect(links).toContain('https://example.com/seen.png?secret');
  expect(asked.filter((url) => !url.startsWith(opened.address))).toEqual([]);
  // What the content policy says while the text is taken apart.
  expect(errors.filter((text) => !text.includes('The action has been blocked'))).toEqual([]);
});
