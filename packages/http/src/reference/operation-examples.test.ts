import { Ajv2020 } from 'ajv/dist/2020.js';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import { expect, it } from 'vitest';
import { createApi } from '../api.ts';
import { createTestApp } from '../fixtures/test-app.ts';
import { operations } from '../operations/operations.ts';
import { isProtected } from '../routing.ts';
import { componentSchemas } from '../schemas/components.ts';
import { createOpenApiDocument } from './openapi.ts';
import { operationExamples } from './operation-examples.generated.ts';

const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: true });
for (const [name, format] of Object.entries(fullFormats)) ajv.addFormat(name, format);
ajv.addSchema({ $id: 'document', components: { schemas: componentSchemas } });

function faultsOf(schema: string | undefined, value: unknown): readonly unknown[] {
  if (schema === undefined || value === undefined) return [];
  const validate = ajv.getSchema(`document#/components/schemas/${schema}`);
  if (validate === undefined) throw new Error(`there is no schema ${schema}`);
  return validate(value) ? [] : (validate.errors ?? []);
}

it.each(operations)('the example of $id fits the schemas of its request and response', (operation) => {
  const { request, response } = operationExamples[operation.id] ?? {};
  expect(response).toBeTruthy();
  expect(faultsOf(isProtected(operation) ? operation.body?.schema : undefined, request)).toEqual([]);
  expect(faultsOf(operation.success.schema, response)).toEqual([]);
});

it('every operation of the document has examples and a description', async () => {
  const { app } = await createTestApp();
  const { paths } = createOpenApiDocument(createApi(app).routes);
  await app.host.stop(0);
  const without = Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .flatMap(({ operationId, description = '', requestBody, responses }) => {
      const [, success] = Object.entries(responses).find(([status]) => status.startsWith('2')) ?? [];
      const contents = { ...success?.content, ...(requestBody?.required && requestBody.content) };
      const bare = Object.entries(contents).filter(([, { examples }]) => examples?.['example']?.value === undefined);
      const events = success?.content?.['text/event-stream'];
      const own = description.replace(/Needs the scopes? .*$/, '').trim();
      return [
        ...bare.map(([type]) => `${operationId}: an example of ${type}`),
        ...(own.length > 20 ? [] : [`${operationId}: a description`]),
        ...(events === undefined || events.schema?.description ? [] : [`${operationId}: what its events are`]),
      ];
    });
  expect(without).toEqual([]);
});
