import { mapInTurns } from '@patchbay/contracts/base/map-in-turns';
import type { RequestContext } from '@patchbay/contracts/context';
import { PatchbayError } from '@patchbay/contracts/errors';
import type { ForwardOutcome } from '@patchbay/contracts/forward';
import type { ChatResult } from '@patchbay/contracts/provider';
import type { TenantId } from '@patchbay/contracts/tenant';
import type { GatewayOperation } from '../events/event-kinds.ts';
import type { ForwardedWhole } from '../usage/metered-forward.ts';
import { type AnswerPart, type OpenStream, openStream } from './ask-model.ts';
import type { ModelCall } from './attempt.ts';
import { type ForwardedHead, forwardStream, forwardWhole, isForwarded } from './forward-model.ts';
import { type ForwardedStream, forwardCompletion, forwardedBytes } from './forwarded-bytes.ts';
import type { CompletedAnswer } from './gateway-listener.ts';
import type { ChatAnswer, ChatPiece, ForwardedAnswer, ModelChoice, StreamedAnswer } from './gateway-service.ts';
import type { CatalogModel, ModelCatalog } from './model-catalog.ts';
import type { OriginalRequest } from './original-request.ts';
import type { Pipeline, Task, TextTask } from './pipeline.ts';
import type { ReceivedIds } from './received-ids.ts';
import { forwardRequirements, type Requirements } from './requirements.ts';
import { chatPieces } from './stream-events.ts';

interface RelayDependencies {
  readonly catalog: ModelCatalog;
  readonly receivedIds: ReceivedIds;
  /** Whether callers may use tools that vendors run. */
  readonly vendorTools: boolean;
  readonly pipeline: Pipeline;
}

/** A request in a vendor's API, for models of any vendor. */
interface Relayable<T> extends ModelChoice {
  readonly original: OriginalRequest;
  /** The task for models that speak another dialect. */
  readonly prepare: () => Promise<T>;
}

interface Translated<T, A extends CompletedAnswer> {
  readonly translated: Task<T, A>;
  readonly result: T;
}

/**
 * Relays requests in the dialects of vendors: each model of the plan receives the request as it was sent if its
 * provider speaks the dialect, otherwise in the terms of the gateway. Everything else is as with any other request.
 */
export function createRelay({ catalog, receivedIds, vendorTools, pipeline }: RelayDependencies) {
  const { tryModels, openModels, streamedAnswer, reported, completed, resolveModel } = pipeline;
  /** Whether a model receives a request as it was sent: not if the request has the reasoning of another vendor. */
  const takesAsItIs = (
    original: OriginalRequest,
    model: CatalogModel,
    tenant: TenantId,
  ): boolean | Promise<boolean> => {
    if (!isForwarded(catalog.provider(model), model, original)) return false;
    return original.reasoning.length === 0 || ownsReasoning(original, model, tenant);
  };
  const ownsReasoning = async (
    { reasoning, isReasoningSigned }: OriginalRequest,
    { provider }: CatalogModel,
    tenant: TenantId,
  ): Promise<boolean> => {
    const origins = await mapInTurns(reasoning, (digest) => receivedIds.originOf(tenant, digest));
    return origins.every((origin) => (origin === undefined ? isReasoningSigned : origin === provider));
  };

  /** The steps of both kinds of response, up to the model that responds. */
  const planOf = <T extends { readonly needs: Requirements }>(
    { original, prepare, ...choice }: Relayable<T>,
    { caller }: RequestContext,
  ) => {
    if (!vendorTools) refuseVendorTools(original);
    let prepared: Promise<T> | undefined;
    const task = (): Promise<T> => {
      prepared ??= prepare();
      return prepared;
    };
    const decisions = new Map<string, boolean | Promise<boolean>>();
    const forwards = (model: CatalogModel): boolean | Promise<boolean> => {
      const decision = decisions.get(model.id) ?? takesAsItIs(original, model, caller.tenant);
      decisions.set(model.id, decision);
      return decision;
    };
    const isTranslatable = async () =>
      task().then(
        () => true,
        () => false,
      );
    const owns = async ({ provider }: CatalogModel): Promise<boolean> => {
      const origins = await mapInTurns(original.storedIds, ({ name }) => receivedIds.originOf(caller.tenant, name));
      return origins.every((origin) => origin === provider);
    };
    const canServe = async (models: readonly CatalogModel[]) => {
      // If one provider has everything that the request names, no other receives those names.
      const owned = await Promise.all(models.map(owns));
      if (owned.includes(true)) {
        for (const [place, { id }] of models.entries()) if (!owned[place]) decisions.set(id, false);
      }
      const taken = await Promise.all(models.map(async (model) => await forwards(model)));
      if (taken.every(Boolean) || (await isTranslatable())) return models;
      // If there are none, the reason is the one why it cannot be translated.
      if (!taken.some(Boolean)) await task();
      return models.filter((_, index) => taken[index]);
    };
    const leftOut = (model: CatalogModel) => (forwards(model) === true ? [] : leftOutOfTranslated(model));
    const leftOutOfTranslated = async (model: CatalogModel) =>
      (await forwards(model)) ? [] : ((await (await task()).needs.leftOut?.(model)) ?? []);
    const resolved = { ...resolveModel(choice, caller.tenant), original };
    return {
      task,
      forwards,
      resolved,
      needs: { ...forwardRequirements(original, resolved.routing), canServe, leftOut },
    };
  };

  /** Undefined for most requests, which name nothing, so that they need not wait for the cache. */
  const checkIds = ({ caller }: RequestContext, { provider }: CatalogModel, { storedIds }: OriginalRequest) =>
    storedIds.length > 0 ? receivedIds.check(caller.tenant, provider, storedIds) : undefined;

  /** Note what the caller may send back, even from a response that it left: the objects were created. */
  const noteIds = ({ caller }: RequestContext, { provider }: CatalogModel, ids: readonly string[]) =>
    ids.length > 0 ? receivedIds.note(caller.tenant, provider, ids) : undefined;

  const whole = async (
    original: OriginalRequest,
    call: ModelCall,
    context: RequestContext,
  ): Promise<ForwardedWhole> => {
    const { model, meter } = call;
    const checking = checkIds(context, model, original);
    if (checking) await checking;
    const response = await forwardWhole(catalog.provider(model), original, call);
    meter.succeeded(response.outcome.usage?.outputTokens ?? 0);
    const noting = noteIds(context, model, response.outcome.ownIds);
    if (noting) await noting;
    return response;
  };

  const stream = async (
    original: OriginalRequest,
    call: ModelCall,
    context: RequestContext,
  ): Promise<ForwardedStream> => {
    const { model } = call;
    const begun: { head?: ForwardedHead } = {};
    async function* pieces(): AsyncGenerator<Uint8Array, ForwardOutcome> {
      await checkIds(context, model, original);
      try {
        return yield* forwardStream(catalog.provider(model), original, call, (head) => {
          begun.head = head;
        });
      } finally {
        await noteIds(context, model, begun.head?.reader.outcome.ownIds ?? []);
      }
    }
    const opened = await openStream(pieces(), call, ({ usage }) => usage?.outputTokens ?? 0);
    return { stream: opened, head: begun.head as ForwardedHead };
  };

  return {
    /** Undefined if the request names no model whose vendor counts. */
    async counted({ original, ...choice }: Omit<Relayable<never>, 'prepare'>, context: RequestContext) {
      const { caller } = context;
      const { routing: _, ...resolved } = resolveModel(choice, caller.tenant);
      const { model = 'auto' } = resolved;
      if (model === 'auto' || !(await takesAsItIs(original, catalog.find(model, caller.tenant), caller.tenant))) {
        return undefined;
      }
      const needs = { ...forwardRequirements(original), isCount: true };
      const answered = await tryModels('chat', resolved, needs, context, (call) => whole(original, call, context));
      const { status, headers, bytes } = answered.value;
      return { ...answered.head, forwarded: { status, headers, body: bytes } };
    },

    async whole<T, A extends CompletedAnswer>(
      operation: GatewayOperation,
      request: Relayable<Task<T, A>>,
      context: RequestContext,
    ): Promise<ForwardedAnswer | A> {
      try {
        const { original } = request;
        const { task, forwards, resolved, needs } = planOf(request, context);
        const carryOut = async (call: ModelCall): Promise<ForwardedWhole | Translated<T, A>> => {
          const decision = forwards(call.model);
          if (decision instanceof Promise ? await decision : decision) return await whole(original, call, context);
          const translated = await task();
          const result = await translated.ask(call);
          call.meter.succeeded(translated.outputTokens(result));
          return { translated, result };
        };
        const answered = await tryModels(operation, resolved, needs, context, carryOut);
        const { value, head } = answered;
        if ('translated' in value) {
          const { translated, result } = value;
          return completed(answered, translated.toAnswer(head, result), translated.isRepaired?.(result));
        }
        const { status, headers, bytes } = value;
        const collected = {
          dialect: original.dialect,
          isStream: false,
          pieces: [bytes],
          bytes: bytes.length,
          lost: false,
        };
        completed(answered, forwardCompletion(operation, head, value.outcome), false, { forwarded: collected });
        return { ...head, forwarded: { status, headers, body: bytes } };
      } catch (error) {
        throw reported(operation, context, error);
      }
    },

    async streamedChat(
      request: Relayable<TextTask<ChatAnswer>>,
      context: RequestContext,
    ): Promise<ForwardedAnswer | StreamedAnswer<ChatAnswer, ChatPiece>> {
      try {
        const { original } = request;
        const { task, forwards, resolved, needs } = planOf(request, context);
        const open = async (
          call: ModelCall,
        ): Promise<ForwardedStream | OpenStream<readonly AnswerPart[], ChatResult>> => {
          if (await forwards(call.model)) return await stream(original, call, context);
          const translated = await task();
          return await openStream(translated.read(call), call, translated.outputTokens);
        };
        const opened = await openModels('chat', resolved, needs, context, open);
        const { value, head } = opened;
        if ('parts' in value) {
          const translated = await task();
          return streamedAnswer(opened, translated, translated.partsOf({ ...opened, value }), chatPieces());
        }
        const { status, headers } = value.head;
        const body = forwardedBytes(pipeline, { ...opened, value }, original, task);
        return { ...head, forwarded: { status, headers, body } };
      } catch (error) {
        throw reported('chat', context, error);
      }
    },
  };
}

function refuseVendorTools({ vendorTools: [tool] }: OriginalRequest): void {
  if (!tool) return;
  const { pointer, name } = tool;
  const detail = `is ${name}, which this server does not allow (gateway.vendorTools)`;
  const errors = [{ pointer, code: 'unsupported_value', detail }];
  throw new PatchbayError('invalid_request', 'the request asks for a tool that the vendor runs', { errors });
}
