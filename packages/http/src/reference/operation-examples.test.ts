import { Ajv2020 } from 'ajv/dist/2020.js';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import { expect, it } from 'vitest';
import { createApi } from '../api.ts';
import { formatsOf } from '../exchange.ts';
import { createTestApp } from '../fixtures/test-app.ts';
import { operations } from '../operations/operations.ts';
import { isProtected } from '../routing.ts';
import { componentSchemas } from '../schemas/components.ts';
import { createOpenApiDocument, errorsByStatus, operationExamples } from './openapi.ts';

const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: true });
for (const [name, format] of Object.entries(fullFormats)) ajv.addFormat(name, format);
ajv.addSchema({ $id: 'document', components: { schemas: componentSchemas } });

function faultsOf(schema: string | undefined, value: unknown): readonly unknown[] {
  if (schema === undefined || value === undefined) return [];
  const validate = ajv.getSchema(`document#/components/schemas/${schema}`);
  if (validate === undefined) throw new Error(`there is no schema ${schema}`);
  return validate(value) ? [] : (validate.errors ?? []);
}

it.each(operations)('the example of $id matches the schemas of its request and response', (operation) => {
  const { request, response } = operationExamples[operation.id] ?? {};
  expect(response).toBeTruthy();
  expect(faultsOf(isProtected(operation) ? operation.body?.schema : undefined, request)).toEqual([]);
  expect(faultsOf(operation.success.schema, response)).toEqual([]);
});

it.each(operations)('the refusals of $id are problems that it documents', (operation) => {
  const { problems = [], refusals = [] } = operationExamples[operation.id] ?? {};
  for (const problem of problems) {
    expect(faultsOf('Problem', problem)).toEqual([]);
    expect(errorsByStatus(operation).get(problem.status)).toContain(problem.code);
  }
  for (const { status, body } of refusals) {
    const faults = formatsOf(operation).map(({ failureSchema }) => faultsOf(failureSchema, body));
    expect(faults).toContainEqual([]);
    expect([...errorsByStatus(operation).keys()]).toContain(status);
  }
});

it('no example has a secret, a local path, or anything that differs between runs', () => {
  const text = JSON.stringify(operationExamples);
  const all = (pattern: RegExp) => [...new Set(text.match(pattern))];
  expect(all(/_[0-9a-z]{26}(?![0-9a-z])/g)).toEqual(['_01m7yxk8zbevcsetqktderpyf0']);
  expect(all(/\d{4}-\d\d-\d\dT[\d:]+\.\d{3}Z/g)).toEqual(['2026-11-21T09:30:00.000Z']);
  expect(all(/pbk_\w+/g)).toEqual(['pbk_live_01m7yxk8zbevcsetqktderpyf0_exampleOfASecretThatIsShownOnce']);
  expect(all(/whsec_[\w+/=]+/g)).toHaveLength(1);
  expect(all(/"[0-9a-f]{64}"/g)).toHaveLength(1);
  expect(all(/127\.0\.0\.1:\d+|\/(?:home|root|tmp|work|Users|private)\/|file:|canary-/g)).toEqual([]);
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
