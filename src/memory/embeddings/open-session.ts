// Opens a local model by the kind of its file. Every file is checked against the checksum recorded when the model was added,
// on the same bytes that are used.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ModelManifest } from '../models/manifest.ts';
import { type ModelFiles, ModelProblem, type ModelSession, type ModelSessionOptions } from './model-session.ts';
import { openOnnxSession } from './onnx-session.ts';
import { openStaticSession } from './static-session.ts';

export async function openModelSession(options: ModelSessionOptions): Promise<ModelSession> {
  const files = await readChecked(options.folder, options.manifest);
  return options.manifest.file.endsWith('.safetensors')
    ? openStaticSession(files, options)
    : openOnnxSession(files, options);
}

async function readChecked(folder: string, { name, files }: ModelManifest): Promise<ModelFiles> {
  const read = new Map<string, Uint8Array>();
  for (const { path, sha256 } of files) {
    const bytes = await readFile(join(folder, path)).catch((error: NodeJS.ErrnoException) => {
      throw new ModelProblem(`the model "${name}" cannot be read (${path}: ${error.code}): ${again(name)}`, {
        cause: error,
      });
    });
    if (createHash('sha256').update(bytes).digest('hex') !== sha256)
      throw new ModelProblem(`the model "${name}" is not what was added: ${path} has changed. ${again(name)}`);
    read.set(path, new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length));
  }
  return read;
}

function again(name: string): string {
  return `run "lainclaw memory model remove ${name}" and add it again from a source you trust`;
}
