export type ConfigErrorCode = 'CONFIG_INVALID' | 'STORAGE_NEWER_VERSION';

/** A setting that cannot be used: names the place, the value and what is accepted. */
export class ConfigError extends Error {
  readonly code: ConfigErrorCode;

  constructor(message: string, cause?: unknown, code: ConfigErrorCode = 'CONFIG_INVALID') {
    super(message, { cause });
    this.name = 'ConfigError';
    this.code = code;
  }
}
