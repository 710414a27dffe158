// PDFium, compiled to WebAssembly: its memory is a world of its own, whose growth is limited here. It runs no scripts and reads no
// files. The functions used of it, with handles as numbers.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { PDFiumModule } from '@hyzyla/pdfium';
import { DocumentProblem } from './document.ts';

const MOST_MEMORY_BYTES = 512 * 1024 * 1024;
const WASM_PAGE_BYTES = 65_536;
const PASSWORD_NEEDED = 4;
const UNKNOWN_SECURITY = 5;
/** BGRA; with the flag below the bytes come as RGBA. */
const BITMAP_FORMAT = 4;
const WITH_ANNOTATIONS = 0x01;
const RGBA_ORDER = 0x10;
const WHITE = 0xffffffff;

export interface Pdf {
  pageCount: number;
  title(): string;
  /** Closed when `use` has returned. */
  withPage<T>(index: number, use: (page: PdfPage) => T): T;
}

export interface PdfPage {
  text(): string;
  hasObjects(): boolean;
  /** RGBA on white, no side longer than `longestSide`. */
  render(longestSide: number): { width: number; height: number; rgba: Uint8Array };
}

type PdfiumModule = Awaited<ReturnType<typeof PDFiumModule>> & {
  _FPDF_GetMetaText(document: number, tag: number, buffer: number, length: number): number;
};

export async function openPdf(bytes: Uint8Array): Promise<Pdf> {
  limitMemory();
  const pdfium = (await PDFiumModule({
    wasmBinary: await readFile(wasmFile()),
    locateFile: () => '',
  } as never)) as PdfiumModule;
  pdfium._FPDF_InitLibraryWithConfig({ version: 2 });
  const { malloc, free } = pdfium.wasmExports;
  const place = malloc(bytes.length);
  if (place === 0) throw outOfMemory();
  pdfium.HEAPU8.set(bytes, place);
  const document = pdfium._FPDF_LoadMemDocument(place, bytes.length, 0);
  if (document === 0) throw loadProblem(pdfium._FPDF_GetLastError());

  /** UTF-16 that a function writes into a buffer of so many bytes; it returns how many it wrote. */
  function textFrom(length: number, write: (buffer: number) => number): string {
    const buffer = malloc(length);
    if (buffer === 0) throw outOfMemory();
    try {
      const written = Math.min(length, write(buffer));
      return new TextDecoder('utf-16le')
        .decode(pdfium.HEAPU8.slice(buffer, buffer + Math.max(0, written)))
        .replace(/\0+$/, '');
    } finally {
      free(buffer);
    }
  }

  return {
    pageCount: pdfium._FPDF_GetPageCount(document),
    title() {
      const tag = malloc(16);
      pdfium.HEAPU8.set(Buffer.from('Title\0'), tag);
      const length = pdfium._FPDF_GetMetaText(document, tag, 0, 0);
      const title =
        length > 2 && length < 4_096
          ? textFrom(length, (buffer) => pdfium._FPDF_GetMetaText(document, tag, buffer, length))
          : '';
      free(tag);
      return title.trim();
    },
    withPage(index, use) {
      const page = pdfium._FPDF_LoadPage(document, index);
      if (page === 0) throw new DocumentProblem('damaged', `its page ${index + 1} cannot be read`);
      try {
        return use({
          text() {
            const textPage = pdfium._FPDFText_LoadPage(page);
            if (textPage === 0) return '';
            try {
              const count = pdfium._FPDFText_CountChars(textPage);
              if (count <= 0) return '';
              return textFrom(2 * (count + 1), (buffer) => 2 * pdfium._FPDFText_GetText(textPage, 0, count, buffer));
            } finally {
              pdfium._FPDFText_ClosePage(textPage);
            }
          },
          hasObjects: () => pdfium._FPDFPage_CountObjects(page) > 0,
          render: (longestSide) => renderPage(pdfium, page, longestSide),
        });
      } finally {
        pdfium._FPDF_ClosePage(page);
      }
    },
  };
}

function renderPage(pdfium: PdfiumModule, page: number, longestSide: number): ReturnType<PdfPage['render']> {
  const [pageWidth, pageHeight] = [pdfium._FPDF_GetPageWidth(page), pdfium._FPDF_GetPageHeight(page)];
  const scale = longestSide / Math.max(pageWidth, pageHeight, 1);
  const width = Math.max(1, Math.round(pageWidth * scale));
  const height = Math.max(1, Math.round(pageHeight * scale));
  const { malloc, free } = pdfium.wasmExports;
  const place = malloc(width * height * 4);
  if (place === 0) throw outOfMemory();
  const bitmap = pdfium._FPDFBitmap_CreateEx(width, height, BITMAP_FORMAT, place, width * 4);
  try {
    pdfium._FPDFBitmap_FillRect(bitmap, 0, 0, width, height, WHITE);
    pdfium._FPDF_RenderPageBitmap(bitmap, page, 0, 0, width, height, 0, WITH_ANNOTATIONS | RGBA_ORDER);
    return { width, height, rgba: pdfium.HEAPU8.slice(place, place + width * height * 4) };
  } finally {
    pdfium._FPDFBitmap_Destroy(bitmap);
    free(place);
  }
}

/** The compiler's library has no types for it. */
interface WithWebAssembly {
  WebAssembly: { Memory: { prototype: WasmMemory } };
}

interface WasmMemory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

/** The thread belongs to this read: whatever grows in it is PDFium's memory. A refusal is what an allocation in it fails with. */
function limitMemory(): void {
  const { prototype } = (globalThis as unknown as WithWebAssembly).WebAssembly.Memory;
  const { grow } = prototype;
  prototype.grow = function limited(this: WasmMemory, pages: number): number {
    if (this.buffer.byteLength + pages * WASM_PAGE_BYTES > MOST_MEMORY_BYTES)
      throw new RangeError('reading this document takes too much memory');
    return grow.call(this, pages);
  };
}

function loadProblem(code: number): DocumentProblem {
  if (code === PASSWORD_NEEDED || code === UNKNOWN_SECURITY)
    return new DocumentProblem('locked', 'it is protected by a password: save a copy without one');
  return new DocumentProblem('damaged', 'it is damaged, or not a whole PDF document');
}

function outOfMemory(): DocumentProblem {
  return new DocumentProblem('too_large', `reading it takes more than ${MOST_MEMORY_BYTES / 1024 ** 2} MB of memory`);
}

/** In the source in its package, in the built program beside the worker. */
function wasmFile(): string {
  return import.meta.filename.endsWith('.ts')
    ? createRequire(import.meta.url).resolve('@hyzyla/pdfium/pdfium.wasm')
    : resolve(import.meta.dirname, '..', 'pdfium.wasm');
}
