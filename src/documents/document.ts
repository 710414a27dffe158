// The contract of documents: a file that is not plain text, read as text and pictures, a part at a time. Readers run in a worker
// thread with limits of its own (`read-document.ts`): a hostile file costs bounded memory and time, and blocks nobody.
import { CodedError } from '../vocabulary/coded-error.ts';

export type DocumentProblemCode =
  | 'damaged'
  | 'locked' // protected by a password
  | 'too_large' // it, or what it unpacks to
  | 'unsupported'
  | 'no_such_part' // the caller asked for a page, sheet or line that is not there
  | 'stopped'; // it took too much memory, or its thread ended

/** The message says what is wrong with the file, without its name. */
export class DocumentProblem extends CodedError<DocumentProblemCode> {}

/** What a reader is found by; `zip` and `compound` are looked into before they have a reader. */
export type DocumentKind = 'pdf' | 'zip' | 'compound' | 'tar' | 'gzip' | 'notebook' | 'html' | 'csv';

/** Where the bytes are: an open file that stays open until the read has ended, or memory. */
export type DocumentSource = { fd: number; size: number } | { bytes: Uint8Array };

export interface DocumentRequest {
  kind: DocumentKind;
  source: DocumentSource;
  /** `3`, `2-5`, `4-`, `1,7`; of a workbook a sheet and cells: `Sheet1!A1:F40`, `Sheet1`, `A1:F40`. Absent: from the beginning. */
  pages?: string;
  /** Within the text of these pages, from 1. */
  startLine?: number;
  maxLines?: number;
  maxCharacters: number;
  /** `without-text`: of pages that hold only pictures; `all`: of every page asked for. */
  pictures: 'none' | 'without-text' | 'all';
}

export interface DocumentPicture {
  mediaType: string;
  bytes: Uint8Array;
}

export interface DocumentText {
  /** For a person: "PDF document". */
  label: string;
  title?: string;
  /** What the document is divided into; absent: it is one text. */
  parts?: DocumentParts;
  text: string;
  pictures: DocumentPicture[];
  /** How to read on; absent: this was the end of what was asked for. */
  next?: { pages?: string; startLine?: number };
  /** What was left out of this read, one line each. */
  notes: string[];
}

export interface DocumentParts {
  /** "page", "slide", "sheet", "chapter". */
  unit: string;
  count: number;
  /** The first and last that the text is of, from 1. */
  first: number;
  last: number;
  /** Of sheets. */
  names?: string[];
}

/** A document as its reader has opened it, in the worker. */
export interface OpenDocument {
  label: string;
  title?: string;
  /** Absent: the document is one text, and `count` is 1. */
  unit?: string;
  count: number;
  names?: string[];
  /** The part with this index, from 0. `cells` of a sheet only. */
  read(index: number, options: ReadPartOptions): DocumentPart | Promise<DocumentPart>;
}

export interface ReadPartOptions {
  pictures: DocumentRequest['pictures'];
  cells?: CellRange;
}

export interface DocumentPart {
  /** One line above the text, where the document has several parts. */
  heading?: string;
  text: string;
  pictures?: DocumentPicture[];
  /** It has pictures that were not asked for. */
  hasPicture?: boolean;
}

/** From 0, both ends included. */
export interface CellRange {
  firstRow: number;
  lastRow: number;
  firstColumn: number;
  lastColumn: number;
}
