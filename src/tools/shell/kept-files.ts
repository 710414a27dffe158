import type { ListedFiles } from '../../workspace/walk-directories.ts';

/** The files of a workspace that undo keeps: all but installed packages and caches, which are made by tools from what is kept elsewhere. */
export const KEPT_FILES: ListedFiles = {
  most: 4_000,
  notBelow: new Set(['.git', 'node_modules', 'bower_components', '.venv', 'venv', '__pycache__', '.cache', '.tox']),
};
