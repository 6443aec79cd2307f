import type { RequestContext } from '../../contracts/context.ts';
import type { JsonValue } from '../../contracts/json.ts';
import type { CheckGatewayInput, GatewayInputs } from '../../gateway/check-gateway-input.ts';
import type { Answer, GatewayService } from '../../gateway/gateway-service.ts';
import type { ServedCall, ServedCalls } from './host-call.ts';

/** The gateway for code: the same requests and answers as its endpoints, for a caller that may use them. */
export function aiCalls(gateway: () => GatewayService, check: CheckGatewayInput): ServedCalls {
  const served = <N extends keyof GatewayInputs>(
    name: N,
    serve: (input: GatewayInputs[N], context: RequestContext) => Promise<Answer>,
  ): ServedCall => ({
    request: { scope: 'gateway:invoke', limit: 'model' },
    maxBytes: 4_194_304,
    serve: async (given: JsonValue, context: RequestContext) => withoutRoute(await serve(check(name, given), context)),
  });
  return new Map([
    ['ai.generate', served('GenerateRequest', (input, context) => gateway().generate(input, context))],
    ['ai.chat', served('ChatRequest', (input, context) => gateway().chat(input, context))],
    ['ai.embed', served('EmbeddingRequest', (input, context) => gateway().embed(input, context))],
    ['ai.call', served('FunctionCallRequest', (input, context) => gateway().generateFunctionCall(input, context))],
  ]);
}

/** As the endpoints answer: how the model was chosen is in a header there, and warnings are left out where none are. */
function withoutRoute(answer: Answer): object {
  return { ...answer, route: undefined, warnings: answer.warnings.length > 0 ? answer.warnings : undefined };
}
