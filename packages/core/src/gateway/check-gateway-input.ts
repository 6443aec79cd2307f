import { Ajv2020 as Validator } from 'ajv/dist/2020.js';
import { type ErrorDetail, PatchbayError } from '../contracts/errors.ts';
import { describeFault } from '../schema/compile-schema.ts';
import type { ChatInput, EmbedInput, FunctionCallInput, GenerateInput } from './gateway-request.ts';
import { gatewayRequestSchemas } from './request-schemas.ts';

/** What each kind of request holds. */
export interface GatewayInputs {
  readonly GenerateRequest: GenerateInput;
  readonly ChatRequest: ChatInput;
  readonly EmbeddingRequest: EmbedInput;
  readonly FunctionCallRequest: FunctionCallInput;
}

/** @throws PatchbayError `invalid_request` with the first fault. */
export type CheckGatewayInput = <N extends keyof GatewayInputs>(name: N, value: unknown) => GatewayInputs[N];

/** Checks the shape of requests that did not come through an interface with checks of its own. Compiles each schema once. */
export function createGatewayInputCheck(): CheckGatewayInput {
  const ajv = new Validator({
    ownProperties: true,
    strict: false,
    strictNumbers: true,
    meta: false,
    validateSchema: false,
    logger: false,
  });
  ajv.addSchema({
    $id: 'patchbay:',
    components: { schemas: { ...gatewayRequestSchemas, Schema: { type: 'object' } } },
  });
  return (name, value) => {
    const check = ajv.getSchema(`patchbay:#/components/schemas/${name}`);
    if (check === undefined) throw new Error(`there is no schema ${name}`);
    if (check(value) !== true) throw invalid((check.errors ?? []).map((error) => describeFault(error, '')));
    return value as GatewayInputs[typeof name];
  };
}

function invalid(errors: readonly ErrorDetail[]): PatchbayError {
  const [first] = errors;
  const what = first === undefined ? '' : `: ${first.pointer} ${first.detail}`;
  return new PatchbayError('invalid_request', `the request does not have the documented shape${what}`, { errors });
}
