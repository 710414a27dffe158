// The contract of a loaded local model: texts → one vector each. It runs in the worker only.
import type { ModelManifest } from '../models/manifest.ts';

/** A failure of a local model; the message says what to do. */
export class ModelProblem extends Error {}

/** The model needs a runtime that is not installed. */
export class MissingRuntime extends ModelProblem {}

export interface ModelSession {
  /** How many texts, from the first on, are best run together; they should have similar lengths. */
  fitting(texts: readonly string[]): number;
  run(texts: readonly string[], kind: 'query' | 'passage'): Promise<Float32Array[]>;
}

export interface ModelSessionOptions {
  folder: string;
  manifest: ModelManifest;
  threads: number;
  /** Where the ONNX runtime may be kept, when there is none beside this program. */
  runtimeFolder?: string;
  /** The command that installs the ONNX runtime where this program finds it. */
  installCommand: string;
}

/** The bytes of each file, by its path within the model. */
export type ModelFiles = ReadonlyMap<string, Uint8Array>;

export function requiredJson(files: ModelFiles, path: string): Record<string, unknown> {
  if (!files.has(path)) throw new ModelProblem(`the model has no ${path}`);
  return jsonOf(files, path);
}

export function jsonOf(files: ModelFiles, path: string): Record<string, unknown> {
  const bytes = files.get(path);
  if (!bytes) return {};
  try {
    return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8')) as Record<
      string,
      unknown
    >;
  } catch (error) {
    throw new ModelProblem(`${path} of the model is not valid JSON: ${(error as Error).message}`, { cause: error });
  }
}
