import type { ManagementActor } from '../actors/actor.ts';
import type { Change } from '../actors/change-guard.ts';
import type { ControlPlaneContext } from '../context.ts';
import type { Claim } from '../idempotency/idempotency-store.ts';
import { callerIdOf } from './caller-id.ts';
import { alreadyClaimed, preconditionRequired } from './errors/guard-errors.ts';
import { invalidHeader } from './errors/request-errors.ts';
import { etagOf } from './etag.ts';
import { findResponse, requestHash, type SentResponse, sealResponse } from './guard/idempotent-request.ts';
import { requestGuard } from './guard/request-guard.ts';
import type { Route } from './route.ts';

const MAX_IDEMPOTENCY_KEY = 255;

/** A request over HTTP or gRPC, of a caller who is authenticated and has access to the route. */
export interface ManagementRequest {
  actor: ManagementActor;
  params: Readonly<Record<string, string>>;
  query: unknown;
  /** Undefined: none was sent. */
  body: unknown;
  /** Path and query. A repeated request must have the same. */
  url: string;
  ifMatch: string | undefined;
  /** Values of Idempotency-Key. */
  idempotencyKeys: readonly string[];
  /** Aborted when the caller has gone. */
  signal: AbortSignal;
}

export interface ManagementResponse {
  status: number;
  body: unknown;
  headers: Record<string, string>;
}

/**
 * Checks If-Match, returns the earlier response for a repeated Idempotency-Key, or calls the route's handler.
 * @throws ManagementError, ControlPlaneError
 */
export async function serveRequest(
  context: ControlPlaneContext,
  route: Route,
  request: ManagementRequest,
): Promise<ManagementResponse> {
  const claim = route.method === 'POST' ? claimOf(route, request) : undefined;
  const known = claim && (await findResponse(context, claim));
  if (known !== undefined) return replayed(known);
  const ifMatch = ifMatchOf(route, request);
  try {
    return await serve(context, route, { ...request, claim, ifMatch });
  } catch (thrown) {
    // The same request, sent twice, may have been faster and made this one fail: return its response.
    const faster = claim && (await findResponse(context, claim));
    if (faster === undefined) throw thrown;
    return replayed(faster);
  }
}

interface ServedRequest extends ManagementRequest {
  claim: Claim | undefined;
}

async function serve(
  context: ControlPlaneContext,
  route: Route,
  { actor, body, claim, ifMatch, params, query, signal }: ServedRequest,
): Promise<ManagementResponse> {
  let responseOf: ((after: object, ...further: object[]) => object) | undefined =
    route.isResource === true && route.secret === undefined ? (after) => after : undefined;
  let etag: string | undefined;
  let claimed: SentResponse | undefined;
  let isClaimed = false;
  const headers: Record<string, string> = {};
  const withEtag = (body: unknown) => ({
    ...responseWith(route, body),
    ...(etag !== undefined && { etag }),
  });
  const seal = (changes: readonly Change[]): Buffer => {
    if (claim === undefined) return Buffer.alloc(0);
    isClaimed = true;
    const [after = {}, ...further] = changes.map((each) => each.after ?? {});
    claimed = responseOf && withEtag(responseOf(after, ...further));
    return sealResponse(context, claim, claimed);
  };
  const guard = requestGuard({ claim, ifMatch, sealResponse: seal });
  const run = () =>
    route.serve(context, {
      ...{ actor: { ...actor, guard }, params, query, body, signal },
      respondWith: (given) => {
        responseOf = given;
      },
      setEtagOf: (resource) => {
        etag = etagOf(resource);
      },
      noteUnconfirmed: (instances) => {
        if (instances.length > 0) headers['x-gateway-unconfirmed'] = instances.join(', ');
      },
    });
  // Limits concurrent reads per account, as over gRPC.
  const response =
    route.method === 'GET'
      ? await context.readShares.run(actor.accountId ?? callerIdOf(actor), signal, run)
      : await run();
  const sent = withEtag(response);
  if (claim !== undefined) {
    const sealed = sealResponse(context, claim, sent);
    if (isClaimed) {
      if (JSON.stringify(claimed) !== JSON.stringify(sent))
        await context.idempotencyStore.setResponse(claim, sealed);
      // gatewayctl reads with POST, too: those responses are long, and may differ each time.
    } else if (!route.isGatewayctl && !(await context.idempotencyStore.insert(claim, sealed)))
      throw alreadyClaimed();
  }
  return toResponse(sent, headers);
}

function toResponse(
  { body, etag, status }: SentResponse,
  headers: Record<string, string>,
): ManagementResponse {
  return { status, body, headers: { ...headers, ...(etag !== undefined && { etag }) } };
}

function replayed(response: SentResponse): ManagementResponse {
  return toResponse(response, { 'idempotency-replayed': 'true' });
}

function responseWith({ isResource = false, secret, status }: Route, body: unknown): SentResponse {
  return { status, body, ...(isResource && { etag: etagOf(withoutSecret(body, secret)) }) };
}

/** @throws ManagementError 400 */
function claimOf(
  { method }: Route,
  { actor, body, idempotencyKeys: [key, ...others], url }: ManagementRequest,
): Claim | undefined {
  if (key === undefined) return undefined;
  if (others.length > 0 || !/^[\x20-\x7e]{1,255}$/.test(key))
    throw invalidHeader('Idempotency-Key', `must have 1 to ${MAX_IDEMPOTENCY_KEY} visible ASCII characters`);
  return { callerId: callerIdOf(actor), key, request: requestHash(method, url, body) };
}

/** @throws ManagementError 428 */
function ifMatchOf(route: Route, { ifMatch }: ManagementRequest): string | undefined {
  if (route.ifMatch === 'none') return undefined;
  const isNeeded = route.ifMatch === 'needed' || route.method === 'PATCH';
  if (ifMatch === undefined && isNeeded) throw preconditionRequired();
  return ifMatch;
}

function withoutSecret(body: unknown, secret: string | undefined): unknown {
  if (secret === undefined || typeof body !== 'object' || body === null) return body;
  return Object.fromEntries(Object.entries(body).filter(([name]) => name !== secret));
}
