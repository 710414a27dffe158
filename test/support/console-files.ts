// Files that a person gives to the console's page with the mouse or from the clipboard.
import type { Page } from 'playwright-core';

export interface GivenFile {
  name: string;
  buffer: Buffer;
  type?: string;
}

/** By default on the conversation, not on the form. */
export function dropFiles(page: Page, files: readonly GivenFile[], place = '.chat'): Promise<unknown> {
  return page.evaluate(`(() => {
    const dataTransfer = ${transferOf(files)};
    const target = document.querySelector(${JSON.stringify(place)});
    for (const type of ['dragover', 'drop'])
      target.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
  })()`);
}

/** Into the message; `text` is what the clipboard holds as text beside them. */
export function pasteFiles(page: Page, files: readonly GivenFile[], text = ''): Promise<unknown> {
  return page.evaluate(`(() => {
    const clipboardData = ${transferOf(files)};
    if (${JSON.stringify(text)}) clipboardData.setData('text/plain', ${JSON.stringify(text)});
    const target = document.querySelector('.composer textarea');
    target.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  })()`);
}

function transferOf(files: readonly GivenFile[]): string {
  const given = files.map(({ name, buffer, type = '' }) => ({ name, type, data: buffer.toString('base64') }));
  return `(() => {
    const transfer = new DataTransfer();
    for (const { name, type, data } of ${JSON.stringify(given)})
      transfer.items.add(new File([Uint8Array.from(atob(data), (sign) => sign.charCodeAt(0))], name, { type }));
    return transfer;
  })()`;
}
