import {
  type App,
  authorize,
  checkPrincipal,
  createRequestContext,
  errorCodes,
  jsonTextOf,
  PatchbayError,
} from '@patchbay/core';
import type { Principal, Span } from '@patchbay/core/plugin';
import { compose, type Middleware } from './compose.ts';
import { type CorsOptions, createCors } from './cors.ts';
import { AccessLog, type AccessLogOptions, Exchange } from './exchange.ts';
import { runOnce } from './idempotent.ts';
import type { IncomingRequest } from './incoming-request.ts';
import {
  bodyValidator,
  checkContentDigest,
  readJsonBody,
  readRawBody,
  refuseBody,
  withoutIgnored,
} from './input/body.ts';
import {
  createClientAddress,
  createOriginCheck,
  createPageCheck,
  type HeadOfRequest,
  readCredentials,
} from './input/caller.ts';
import { checkHead, createMountPath, isNotModified, readIdempotencyKey, readTrace, targetOf } from './input/headers.ts';
import { isJsonLines, readJsonLines } from './input/json-lines.ts';
import { readSession } from './input/session-cookie.ts';
import type { BodyRule, Operation, OperationRequest, ProtectedOperation, PublicRequest, RawBody } from './operation.ts';
import { operations as allOperations, chooseOperations, type OperationId } from './operations/operations.ts';
import { withPings } from './output/pings.ts';
import { failure, isKnown } from './output/problem.ts';
import {
  createRateHeaders,
  endingInWords,
  isStreamed,
  passing,
  type Reply,
  toWire,
  type WireReply,
  withCommonHeaders,
} from './output/wire.ts';
import { createReference } from './reference/reference.ts';
import {
  type BasePath,
  basePathsOf,
  checkPathParameters,
  createRoutes,
  isProtected,
  Matcher,
  type Route,
  type RouteMatch,
  scopesOf,
} from './routing.ts';

export interface ApiOptions extends AccessLogOptions {
  /** Path prefix of the endpoints. Default: none. */
  readonly basePath?: BasePath;
  /**
   * The prefix that the host, or a proxy in front of it, strips from every path, such as
   * `/patchbay`: links in responses begin with it. Default: the prefix that Express reports, else none.
   */
  readonly mountPath?: string;
  /** Rows of the table, or their ids such as `executeFunction`. Default: every endpoint of Patchbay. */
  readonly operations?: readonly (Operation | OperationId)[];
  /** Id of the page to which browsers that open the root are redirected. Default: `getDocs`. */
  readonly home?: string;
  /**
   * Addresses and networks (CIDR) of proxies whose `X-Forwarded-For` contains the client address. Default: none;
   * the header is ignored.
   */
  readonly trustedProxies?: readonly string[];
  /**
   * Origins, such as `https://app.acme.com`, whose pages may send state-changing requests for a caller whom the
   * host identifies by a cookie. Default: only pages of the same origin.
   */
  readonly trustedOrigins?: readonly string[];
  /** Cross-origin access from browsers. Default: none. */
  readonly cors?: CorsOptions;
  /** Layers around every operation that requires credentials, the first one outermost. Default: none. */
  readonly middleware?: readonly OperationMiddleware[];
}

/**
 * A layer around operations: receives an authenticated, authorized and validated request, and may respond itself,
 * change the response, or throw a `PatchbayError`.
 *
 * @example
 * ```ts
 * import type { OperationMiddleware } from '@patchbay/http';
 *
 * const readOnlyOnSundays: OperationMiddleware = async ({ operation }, next) => {
 *   if (operation.method !== 'GET' && new Date().getDay() === 0) return { status: 503, json: { closed: true } };
 *   return await next();
 * };
 * ```
 */
export type OperationMiddleware = Middleware<OperationCall, Reply>;

export interface OperationCall {
  readonly operation: ProtectedOperation;
  readonly request: OperationRequest;
}

/** The HTTP API of an app, before any transport: what the binders share. */
export interface Api {
  readonly routes: readonly Route[];
  /** Respond to a request; never rejects. A host that has routed the request itself passes the route. */
  respond(request: IncomingRequest, found?: RouteMatch): Promise<WireReply>;
}

/**
 * The pipeline of every request: head, route, credentials, scope, parameters, body, handler, response.
 *
 * @example
 * ```ts
 * import type { App } from '@patchbay/core';
 * import { createApi, type IncomingRequest } from '@patchbay/http';
 *
 * // For a server that neither `node:http` nor `fetch` describes.
 * export function bind(app: App) {
 *   const api = createApi(app);
 *   return async (request: IncomingRequest) => (await api.respond(request)).status;
 * }
 * ```
 */
export function createApi(app: App, options: ApiOptions = {}): Api {
  const routes = createRoutes(
    chooseOperations(options.operations ?? allOperations),
    options.basePath ?? '',
    bodyValidator,
  );
  const matcher = new Matcher(routes);
  const reference = createReference(routes);
  const home = options.home ?? 'getDocs';
  const accessLog = new AccessLog(app.host.logger, options);
  const page = routes.find(({ operation }) => operation.id === home);
  const basePaths = basePathsOf(options.basePath ?? '');
  const around = options.middleware && compose(options.middleware);
  const addressOf = createClientAddress(options.trustedProxies);
  const writeRateHeaders = createRateHeaders();
  const refuseForeignPages = createOriginCheck(options.trustedOrigins);
  const refusePages = createPageCheck([...(options.trustedOrigins ?? []), ...(options.cors?.origins ?? [])]);
  const mountPathOf = createMountPath(options.mountPath);
  const { cookieName } = app.services.sessions;
  const hasSessions = routes.some(({ operation }) => operation.id === 'startSession');
  const sessionOf = hasSessions ? (request: HeadOfRequest) => readSession(request, cookieName) : undefined;
  const cors = options.cors && createCors(options.cors);

  /** Everything before the operation: what is read and checked here does not stay in memory while a model is called. */
  const accept = async (exchange: Exchange, given: RouteMatch | undefined): Promise<WireReply | Run> => {
    const { request } = exchange;
    exchange.remoteAddress = addressOf(request);
    const { path, query } = targetOf(request);
    const found = given ?? matcher.match(request.method, path);
    const { route } = found;
    // Before anything can fail: failures have the format of the endpoint.
    exchange.route = route;
    checkHead(request);
    if (!route && page && isPageAsked(request, path, page)) return redirectTo(mountPathOf(request) + page.path);
    if (route && isProtected(route.operation) && route.operation.refusesPages) refusePages(request);
    try {
      if (!found.public) await admit(exchange, route);
    } catch (error) {
      const reply = route && anonymousReply(route.operation, request, error);
      if (!reply) throw error;
      return toWire(reply, route, mountPathOf(request));
    }
    // Only now, so that requests without credentials cannot probe which paths exist.
    if (!route) throw notMatched(found);
    const { operation } = route;
    if (!isProtected(operation)) {
      const mountPath = mountPathOf(request);
      checkPathParameters(found.params, operation.params ?? {});
      const asked: PublicRequest = {
        params: found.params,
        header: (name) => request.header(name),
        reference: reference(mountPath),
        prefixes: {
          functions: mountPath + basePaths.functions,
          gateway: mountPath + basePaths.gateway,
          system: mountPath + basePaths.system,
        },
      };
      return toWire(await operation.handle(app, asked), route, mountPath);
    }
    return await prepare(operation, route, found.params, query, exchange);
  };

  const admit = async (exchange: Exchange, route: Route | undefined): Promise<void> => {
    const { request } = exchange;
    // Most hosts provide none: no request awaits a promise without need.
    const given = request.caller();
    const known = given && (await given);
    if (known) refuseForeignPages(request);
    const caller = known ? checkPrincipal(known) : await authenticate(exchange);
    exchange.caller = caller;
    const operation = route?.operation;
    const operationClass = operation && isProtected(operation) ? operation.limit : undefined;
    const { standings, refusal } = await app.services.limits.admit(caller, operationClass);
    exchange.standings = standings;
    if (refusal) throw refusal;
  };

  const admitExecution = async (exchange: Exchange, caller: Principal): Promise<void> => {
    const { standings, refusal } = await app.services.limits.admitAlso(caller, 'execute');
    exchange.standings = [...(exchange.standings ?? []), ...standings];
    if (refusal) throw refusal;
  };

  const authenticate = async ({ request, remoteAddress }: Exchange): Promise<Principal> => {
    const presented = readCredentials(request, { mountPath: mountPathOf(request), remoteAddress, sessionOf });
    const caller = await app.services.authenticate(presented);
    // Browsers send credentials other than tokens along with requests from other sites.
    if (presented.token === undefined) refuseForeignPages(request);
    return caller;
  };

  const prepare = async (
    operation: ProtectedOperation,
    route: Route,
    params: Readonly<Record<string, string>>,
    queryText: string,
    exchange: Exchange,
  ): Promise<Run> => {
    const { request, requestId, caller, remoteAddress } = exchange;
    const mountPath = mountPathOf(request);
    if (!caller) throw new Error('a protected operation was reached without credentials');
    for (const scope of scopesOf(operation)) authorize(caller, scope);
    const key = operation.method === 'POST' ? readIdempotencyKey(request) : undefined;
    const trace = readTrace(request);
    const context = createRequestContext({ app, caller, requestId, remoteAddress, ...(trace && { trace }) });
    exchange.context = context;
    request.onDisconnect(() => exchange.leave());
    checkPathParameters(params, operation.params ?? {});
    const query = route.readQuery?.(queryText) ?? {};
    const { body: rule } = operation;
    if (!rule) refuseBody(await request.hasBody());
    const body = rule && (await readBody(rule, route, exchange, app));
    // No work starts for a disconnected client.
    context.signal.throwIfAborted();
    const header = (name: string) => request.header(name);
    const written = withoutIgnored(body, operation.body?.ignored);
    const call = { operation, request: { params, query, body: written, header, context } };
    const isExecution = operation.isExecution?.(call.request, app) ?? false;
    if (isExecution) await admitExecution(exchange, caller);
    const { telemetry } = app.host;
    const handleCall = () => operation.handle(call.request, app);
    const handle = around ? () => around(call, handleCall) : handleCall;
    const handleInSpan = () => {
      const attributes = { 'http.request.method': operation.method, 'http.route': route.path, 'request.id': requestId };
      const inSpan = async (span: Span) => {
        const made = await handle();
        const { status = operation.success.status } = unlessKnown(made, operation, header);
        span.set({ 'http.response.status_code': status });
        return made;
      };
      return telemetry.span(`${operation.method} ${route.path}`, attributes, inSpan, trace);
    };
    const run: Run = async () => {
      // A function waits for the slots of the models that it calls: holding one of them, it could wait for itself.
      const slot = isExecution ? 'execute' : operation.limit;
      if (slot) exchange.slot = app.services.limits.enter(caller, slot);
      const made = await (telemetry.hasSpans ? handleInSpan() : handle());
      const wire = toWire(unlessKnown(made, operation, header), route, mountPath);
      if (!operation.success.streams || !isStreamed(wire.body)) return wire;
      const { failureEvent } = exchange.format;
      const inWords = (error: unknown, last: string | Uint8Array) =>
        failureEvent(failure(error, exchange, app).body, last);
      return { ...wire, body: endingInWords(wire.body, inWords) };
    };
    if (key === undefined) return run;
    const isModelCall = async () => !isExecution && ((await operation.isModelCall?.(call.request, app)) ?? false);
    const sent = operation.body?.raw ? (body as RawBody).json : body;
    const keyed = {
      caller,
      key,
      isModelCall,
      onCancel: () => exchange.cancel(),
      signal: context.signal,
      fail: (error: unknown) => failure(error, exchange, app),
    };
    const endpoint = `${operation.method} ${route.path} ${JSON.stringify(params)}`;
    const detached = async () => {
      // No client reconnects to a stream.
      if (!isStreamAsked(operation, sent)) exchange.detach(isModelCall);
      return await run();
    };
    const sentText = `[${JSON.stringify(queryText)},${jsonTextOf(sent)}]`;
    return () => runOnce(app, { ...keyed, endpoint, request: sentText, run: detached });
  };

  return {
    routes,
    async respond(request, found) {
      const exchange = new Exchange(app, request, accessLog);
      await app.host.endOfTurn();
      let reply: WireReply;
      try {
        const run = cors?.preflight(request) ?? (await accept(exchange, found));
        reply = typeof run === 'function' ? await run() : run;
        withCommonHeaders(reply.headers, exchange.requestId);
        reply.headers[exchange.format.requestIdHeader] = exchange.requestId;
      } catch (error) {
        reply = failure(error, exchange, app);
      }
      writeRateHeaders(reply.headers, exchange.standings);
      cors?.allow(request, reply.headers);
      // HEAD must not start a stream, which could last for hours.
      if (request.method === 'HEAD' && isStreamed(reply.body)) reply = { ...reply, body: undefined };
      if (!isStreamed(reply.body)) {
        exchange.finish(reply.status);
        return reply;
      }
      exchange.stream();
      const { ping } = exchange.format;
      const stream = ping === undefined ? reply.body : withPings(reply.body, ping);
      const { status } = reply;
      return { ...reply, body: passing(stream, { over: () => exchange.finish(status) }) };
    },
  };
}

/** The rest of a request that was accepted. */
type Run = () => Promise<WireReply>;

/** The response that an operation has for requests without a caller, if the error shows that this is one. */
function anonymousReply(operation: Operation, request: IncomingRequest, error: unknown): Reply | undefined {
  const hasToken = request.header('authorization') !== undefined || request.header('x-api-key') !== undefined;
  if (hasToken || !isProtected(operation) || !isKnown(error) || errorCodes[error.code].status !== 401) return undefined;
  return operation.anonymous;
}

/** Without a body if `If-None-Match` matches. */
function unlessKnown(reply: Reply, { preconditions }: ProtectedOperation, header: OperationRequest['header']): Reply {
  const { revision } = reply;
  if (revision === undefined || !preconditions?.includes('If-None-Match')) return reply;
  return isNotModified(header, revision) ? { status: 304, empty: true, revision } : reply;
}

async function readBody(rule: BodyRule<unknown>, route: Route, exchange: Exchange, app: App): Promise<unknown> {
  const { request } = exchange;
  if (rule.optional && !(await request.hasBody())) {
    checkContentDigest(request.header('content-digest'), { bytes: new Uint8Array() });
    return {};
  }
  const share = app.services.limits.openBody();
  exchange.body = share;
  const take = (bytes: number) => share.take(bytes);
  if (rule.raw) return await readRawBody(request, rule.limitBytes, take);
  if (rule.lines !== undefined && isJsonLines(request)) exchange.lines = rule.lines;
  const document = exchange.lines
    ? await readJsonLines(request, exchange.lines, rule.limitBytes, take)
    : await readJsonBody(request, rule, take);
  route.validateBody?.(document);
  return document.value;
}

function notMatched({ allowed }: RouteMatch): PatchbayError {
  if (allowed.length === 0) return new PatchbayError('route_not_found', 'there is no such endpoint; see /docs');
  const methods = allowed.join(', ');
  return new PatchbayError('method_not_allowed', `the endpoint supports ${methods}`, {
    extensions: { allow: methods },
  });
}

/** A browser that opens the root is redirected to a page; the root is not an endpoint. */
function isPageAsked(request: IncomingRequest, path: string, page: Route): boolean {
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  const isRoot = ['', '/', page.basePath, `${page.basePath}/`, `${page.path}/`].includes(path);
  return isRead && isRoot && /(^|,)\s*text\/html\b/i.test(request.header('accept') ?? '');
}

function redirectTo(place: string): WireReply {
  return { status: 302, headers: { Location: place, Vary: 'Accept' }, body: '', close: false };
}

function isStreamAsked({ success }: ProtectedOperation, body: unknown): boolean {
  return success.streams !== undefined && (body as { readonly stream?: unknown } | undefined)?.stream === true;
}
