import { createHash, timingSafeEqual } from 'node:crypto';
import { type Metadata, ServerInterceptingCall, type ServerInterceptor, status } from '@grpc/grpc-js';
import {
  type AdminProof,
  type CallerProof,
  presentedProof,
  presentedToken,
  requestBytes,
} from '@model-gateway/contracts';
import { type Caller, noteActor } from './derive-actor.ts';

export interface CallerSecrets {
  internalToken: string;
  adminToken: string;
  adminProof: AdminProof;
}

/** Allowed callers by method prefix; the first match counts, and a method without one is refused. */
const ALLOWED: readonly [prefix: string, callers: readonly Caller[]][] = [
  ['/gateway.v1.KeyService/', ['internal']],
  ['/gateway.v1.BillingService/GetUsage', ['internal', 'admin']],
  ['/gateway.v1.BillingService/GetReceipt', ['internal', 'admin']],
  ['/gateway.v1.BillingService/ListReceipts', ['admin']],
  ['/gateway.v1.BillingService/GetTotalUsage', ['admin']],
  ['/gateway.v1.BillingService/', ['internal']],
  ['/gateway.v1.DashboardService/', ['internal']],
  ['/gateway.v1.PoolService/', ['admin']],
  ['/gateway.v1.RulesService/', ['admin']],
  ['/gateway.v1.AccountService/', ['admin']],
  ['/gateway.v1.AuditService/', ['admin']],
  ['/gateway.v1.TeamService/', ['admin']],
  // The caller sends no token before it knows who answers.
  ['/gateway.v1.AdminService/ProveServer', ['anyone']],
  ['/gateway.v1.AdminService/', ['admin']],
  ['/gateway.v1.CatalogService/ApplyCatalog', ['admin']],
  ['/gateway.v1.CatalogService/AddToCatalog', ['admin']],
  ['/gateway.v1.CatalogService/RemoveFromCatalog', ['admin']],
  ['/gateway.v1.CatalogService/ReportProbes', ['internal']],
  ['/gateway.v1.CatalogService/ReportWaitingCalls', ['internal']],
  ['/gateway.v1.CatalogService/', ['internal', 'admin']],
  // Orchestrators' probes cannot send metadata. The reply reveals no more than the open port.
  ['/grpc.health.v1.Health/', ['anyone']],
];

/** Maximum time from a control plane's proof, here or at another one, to the call that relies on it. */
const PROOF_AGE_MS = 60_000;

/**
 * Checks the token or proof of ADMIN_TOKEN before any handler, streams included, and notes the actor. A proof
 * is checked with the request that it covers, so it allows no streams of requests.
 */
export function checkCaller({ internalToken, adminToken, adminProof }: CallerSecrets): ServerInterceptor {
  const expected = { internal: digest(internalToken), admin: digest(adminToken) };
  const callerWithToken = (callers: readonly Caller[], metadata: Metadata): Caller | undefined => {
    const token = presentedToken(metadata);
    if (token === undefined) return undefined;
    const presented = digest(token);
    return callers.find((caller) => caller !== 'anyone' && timingSafeEqual(presented, expected[caller]));
  };
  return ({ path, requestStream }, call) => {
    const callers = ALLOWED.find(([prefix]) => path.startsWith(prefix))?.[1] ?? [];
    /** A proof whose request has not arrived yet. */
    let unverified: { proof: CallerProof; metadata: Metadata } | undefined;
    const admit = (caller: Caller | undefined, metadata: Metadata, pass: () => void) => {
      if (caller === undefined) {
        return call.sendStatus({
          code: status.UNAUTHENTICATED,
          details: 'the token of the caller, or the proof in its place, is missing, wrong or too old',
        });
      }
      try {
        noteActor(caller, path, metadata, call);
      } catch {
        const details = 'the signed-in user that the call names cannot be read';
        return call.sendStatus({ code: status.INVALID_ARGUMENT, details });
      }
      pass();
    };
    return new ServerInterceptingCall(call, {
      start: (next) =>
        next({
          onReceiveMetadata: (metadata, pass) => {
            const proof = presentedProof(metadata);
            if (callers.includes('anyone')) return admit('anyone', metadata, () => pass(metadata));
            if (proof === undefined) {
              return admit(callerWithToken(callers, metadata), metadata, () => pass(metadata));
            }
            const isFresh = Math.abs(Date.now() - proof.timeMs) <= PROOF_AGE_MS;
            if (!isFresh || requestStream || !callers.includes('admin')) {
              return admit(undefined, metadata, () => undefined);
            }
            unverified = { proof, metadata };
            pass(metadata);
          },
          onReceiveMessage: (request, pass) => {
            if (unverified === undefined) return pass(request);
            const { proof, metadata } = unverified;
            const body = requestBytes(request);
            const isProved = body !== undefined && adminProof.verifyCaller(proof, { path, body });
            unverified = undefined;
            admit(isProved ? 'admin' : undefined, metadata, () => pass(request));
          },
        }),
    });
  };
}

/** Equal lengths, so that comparing takes the same time for every token. */
function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
