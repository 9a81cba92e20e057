import { createHash, timingSafeEqual } from 'node:crypto';
import { type Metadata, ServerInterceptingCall, type ServerInterceptor, status } from '@grpc/grpc-js';
import {
  type AdminProof,
  type CallerProof,
  presentedProof,
  presentedToken,
  requestBytes,
} from '@model-gateway/contracts';
import { accessOfPath, type Caller } from '../access/rpc-access.ts';
import type { Attempts, DeniedAttempt } from '../audit/attempts.ts';
import { addressOf, noteActor } from './derive-actor.ts';

export interface CallerSecrets {
  internalToken: string;
  adminToken: string;
  adminProof: AdminProof;
}

/** Orchestrators' probes cannot send metadata. The reply reveals no more than the open port. */
const HEALTH_CHECK = '/grpc.health.v1.Health/';

const SYSTEM = ['system', 'system'] as const;

/** Maximum time from a control plane's proof, here or at another one, to the call that relies on it. */
const PROOF_AGE_MS = 60_000;

/**
 * Checks the token or proof of ADMIN_TOKEN before any handler, streams included, and notes the actor, or a
 * denied attempt. A proof is checked with the request that it covers, so it allows no streams of requests.
 */
export function checkCaller(
  { internalToken, adminToken, adminProof }: CallerSecrets,
  deniedAttempts: Pick<Attempts, 'note'>,
): ServerInterceptor {
  const internal = digest(internalToken);
  const expected = { operator: digest(adminToken), dashboard: internal, 'data-plane': internal };
  const callerWithToken = (callers: readonly Caller[], metadata: Metadata): Caller | undefined => {
    const token = presentedToken(metadata);
    if (token === undefined) return undefined;
    const presented = digest(token);
    return callers.find((caller) => caller !== 'anyone' && timingSafeEqual(presented, expected[caller]));
  };
  return ({ path, requestStream }, call) => {
    const callers = callersOf(path);
    /** A proof whose request has not arrived yet. */
    let unverified: { proof: CallerProof; metadata: Metadata } | undefined;
    const admit = (caller: Caller | undefined, metadata: Metadata, pass: () => void) => {
      if (caller === undefined) {
        deniedAttempts.note(unprovenCall(path, addressOf(call.getPeer())));
        return call.sendStatus({
          code: status.UNAUTHENTICATED,
          details: 'the token of the caller, or the proof in its place, is missing, wrong or too old',
        });
      }
      try {
        noteActor(caller, metadata, call);
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
            if (!isFresh || requestStream || !callers.includes('operator')) {
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
            admit(isProved ? 'operator' : undefined, metadata, () => pass(request));
          },
        }),
    });
  };
}

/** Describes a refused call by what its caller claims to be: an operator, or a part of the gateway. */
function unprovenCall(path: string, ip: string): DeniedAttempt {
  const [type, way] = callersOf(path).includes('operator') ? (['operator_token', 'cli'] as const) : SYSTEM;
  const object = { type: 'rpc', id: path, name: path };
  const actor = { type, id: null, email: null };
  return { actor, way, action: 'call.denied', object, accountId: null, ip, requestId: undefined };
}

/** Returns no callers for an unknown method. */
function callersOf(path: string): readonly Caller[] {
  return path.startsWith(HEALTH_CHECK) ? ['anyone'] : (accessOfPath(path)?.callers ?? []);
}

/** Equal lengths, so that comparing takes the same time for every token. */
function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
