// Where files of conversations are kept beside a shared database: from the settings, and the keys from variables.
import type { Config } from '../config/config.ts';
import type { Environment } from '../config/environment.ts';
import type { FileSettings } from '../storage/postgres/postgres-storage.ts';
import type { BucketSettings } from '../storage/s3/bucket.ts';

type Variables = Environment['variables'];

export function fileSettings(config: Config, variables: Variables, warn: (text: string) => void): FileSettings {
  const { storeFileMegabytes } = config;
  const bucket = bucketSettings(config, variables);
  return {
    warn,
    ...(storeFileMegabytes !== undefined && { databaseBytes: storeFileMegabytes * 1024 * 1024 }),
    ...(bucket && { bucket }),
  };
}

/** Undefined when no bucket is named. */
export function bucketSettings(config: Config, variables: Variables): BucketSettings | undefined {
  const { s3Bucket: bucket, s3Region: region = 'us-east-1', s3Endpoint, s3Prefix = 'lainclaw/' } = config;
  if (bucket === undefined) return undefined;
  return {
    bucket,
    region,
    endpoint: new URL(s3Endpoint ?? `https://s3.${region}.amazonaws.com`).origin,
    prefix: s3Prefix.endsWith('/') ? s3Prefix : `${s3Prefix}/`,
    isPathStyle: config.s3PathStyle ?? s3Endpoint !== undefined,
    keys: keysOf(variables),
  };
}

/** Our own variables come before those that other programs of the machine share. */
function keysOf(variables: Variables): BucketSettings['keys'] {
  const own = { id: variables.LAINCLAW_S3_ACCESS_KEY_ID, secret: variables.LAINCLAW_S3_SECRET_ACCESS_KEY };
  if (own.id && own.secret) return { accessKeyId: own.id, secretAccessKey: own.secret };
  // Half of them is a mistake, which keys of another store would only hide.
  if (own.id || own.secret) return undefined;
  const { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret, AWS_SESSION_TOKEN: token } = variables;
  if (!id || !secret) return undefined;
  return { accessKeyId: id, secretAccessKey: secret, ...(token && { sessionToken: token }) };
}
