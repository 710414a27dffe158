// Content from outside in the files of one workspace: what is known of it, and what calls add to it.
import { type ContentTaint, createContentTaint } from './content-taint.ts';
import type { IsTrusted } from './foreign-folder.ts';
import { createRememberWrites, type RememberWrites } from './remember-writes.ts';
import { createTaintMemory, type TaintMemoryDependencies } from './taint-memory.ts';

export interface TaintedContent {
  taint: ContentTaint;
  rememberWrites: RememberWrites;
}

export interface TaintedContentDependencies extends TaintMemoryDependencies {
  isTrusted: IsTrusted;
}

export function createTaintedContent(dependencies: TaintedContentDependencies): TaintedContent {
  const { root, now, isTrusted } = dependencies;
  const memory = createTaintMemory(dependencies);
  return {
    taint: createContentTaint({ memory, root, isTrusted, now }),
    rememberWrites: createRememberWrites({ memory, root, now }),
  };
}
