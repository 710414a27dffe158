import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, it } from 'vitest';
import { OPERATIONS } from '../operations/all.ts';
import { openApiDocument } from './openapi.ts';

it.each(['', '/lain'])('the description is OpenAPI 3.1, also below a base path (%j)', async (basePath) => {
  const validator = new Validator();
  const document = openApiDocument({ version: '1.2.3', basePath });
  // The validator follows references in place: it gets a copy.
  expect(await validator.validate(structuredClone(document))).toMatchObject({ valid: true });
  expect(validator.version).toBe('3.1');
});

it('the validator finds what is wrong, and every operation is described once', async () => {
  const document = openApiDocument({ version: '1.2.3', basePath: '' }) as { paths: Record<string, object> };
  const ids = Object.values(document.paths).flatMap((path) =>
    Object.values(path).map(({ operationId }: { operationId: string }) => operationId),
  );
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.length).toBeGreaterThan(OPERATIONS.length);
  const broken = { ...structuredClone(document), paths: { '/x': { get: { responses: { 200: {} } } } } };
  expect(await new Validator().validate(broken)).toMatchObject({ valid: false });
});
