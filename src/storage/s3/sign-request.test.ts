// The examples of Amazon's documentation, "Signature Calculations for the Authorization Header".
import { hash } from 'node:crypto';
import { expect, it } from 'vitest';
import { signedHeaders } from './sign-request.ts';

const context = {
  keys: { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' },
  region: 'us-east-1',
  now: Date.UTC(2013, 4, 24),
};
const at = (path: string): URL => new URL(path, 'https://examplebucket.s3.amazonaws.com');
const signatureOf = (request: Omit<Parameters<typeof signedHeaders>[0], 'sha256'>, body = ''): string | undefined =>
  signedHeaders({ ...request, sha256: hash('sha256', body) }, context).authorization?.split('Signature=')[1];

it.each([
  [
    'a part of an object',
    'GET',
    '/test.txt',
    { range: 'bytes=0-9' },
    'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  ],
  [
    'a setting of the bucket',
    'GET',
    '/?lifecycle',
    {},
    'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
  ],
  [
    'a list of objects',
    'GET',
    '/?max-keys=2&prefix=J',
    {},
    '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
  ],
])('signs a request for %s as documented', (_what, method, path, headers, signature) => {
  expect(signatureOf({ method, url: at(path), headers })).toBe(signature);
});

it('signs an object that is stored as documented, with the header of the date and an escaped name', () => {
  const headers = { date: 'Fri, 24 May 2013 00:00:00 GMT', 'x-amz-storage-class': 'REDUCED_REDUNDANCY' };
  expect(signatureOf({ method: 'PUT', url: at('/test$file.text'), headers }, 'Welcome to Amazon S3.')).toBe(
    '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
  );
});
