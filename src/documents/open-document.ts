// Finds the reader of a document. What it needs is loaded with it.
import { byteSource } from './byte-source.ts';
import { DocumentProblem, type DocumentRequest, type OpenDocument } from './document.ts';
import { openZip, type Zip } from './zip.ts';

export async function openDocument({ kind, source: given }: DocumentRequest): Promise<OpenDocument> {
  const source = byteSource(given);
  switch (kind) {
    case 'pdf':
      return (await import('./pdf.ts')).openPdfDocument(source);
    case 'zip':
      return openZipDocument(openZip(source));
    case 'compound':
      throw compoundProblem(source.readAll());
    case 'notebook':
      return (await import('./notebook.ts')).openNotebook(source);
    case 'csv':
      return (await import('./csv.ts')).openCsv(source);
    case 'html':
      return (await import('./html/html.ts')).openHtml(source);
    case 'tar':
      return (await import('./tar.ts')).openTar(source);
    case 'gzip':
      return (await import('./tar.ts')).openGzip(source);
  }
}

async function openZipDocument(zip: Zip): Promise<OpenDocument> {
  if (zip.has('word/document.xml')) return (await import('./docx.ts')).openWordDocument(zip);
  if (zip.has('xl/workbook.xml')) return (await import('./xlsx.ts')).openWorkbook(zip);
  if (zip.has('ppt/presentation.xml')) return (await import('./pptx.ts')).openPresentation(zip);
  if (zip.has('META-INF/container.xml')) return (await import('./epub.ts')).openEpub(zip);
  if (zip.has('xl/workbook.bin'))
    throw new DocumentProblem('unsupported', 'it is a workbook in the binary format (.xlsb): save it as .xlsx');
  return (await import('./zip-list.ts')).openZipList(zip);
}

/** The container of Office before 2007, and of Office documents with a password. */
function compoundProblem(bytes: Buffer): DocumentProblem {
  if (bytes.includes(Buffer.from('EncryptedPackage', 'utf16le')))
    return new DocumentProblem('locked', 'it is protected by a password: save a copy without one');
  return new DocumentProblem(
    'unsupported',
    'it has the format of Office before 2007: save it as .docx, .xlsx or .pptx',
  );
}
