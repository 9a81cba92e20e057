import { setTimeout } from 'node:timers/promises';
import { inBackground, type Logger } from '@model-gateway/service-kit';
import type { HolderClient } from '../control-plane/holder-client.ts';
import { DashboardError } from '../errors/dashboard-error.ts';
import type { SignInChangeStore, StoredSignInChange } from '../sign-in/sign-in-change-store.ts';

/** Attempt to sign in. */
export interface SignInAttempt {
  action: 'login.failed' | 'login.succeeded';
  /** As typed in; empty if it is unknown, such as for a passkey. */
  email: string;
  signInId?: string;
  /** Way of the sign-in, such as `password and code`. */
  detail: string;
}

interface RequestOrigin {
  clientIp: string;
  requestId: string;
}

export interface SignInReportsContext {
  holder: Pick<HolderClient, 'reportSignIn' | 'reportSignInChange'>;
  signInChangeStore: Pick<SignInChangeStore, 'takeNext'>;
  log: Logger;
}

const INTERVAL_MS = 10_000;
const MAX_WAIT_MS = 2_000;

/**
 * Reports sign-ins and changes of them to the audit log. A change is stored in the transaction that makes it,
 * and delivered at once. Every dashboard also delivers what is left over, at its start and every ten seconds.
 */
export class SignInReports {
  readonly #context: SignInReportsContext;
  #timer: NodeJS.Timeout | undefined;
  #delivering: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  constructor(context: SignInReportsContext) {
    this.#context = context;
  }

  start(): void {
    inBackground(this.deliver());
    this.#timer = setInterval(() => inBackground(this.deliver()), INTERVAL_MS);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** Reports an attempt without making its request wait. A crash may lose it. */
  send(attempt: SignInAttempt, origin: RequestOrigin): void {
    const { holder, log } = this.#context;
    const { action, signInId } = attempt;
    inBackground(
      holder
        .reportSignIn({ ...attempt, ...origin, object: null })
        .catch((error: unknown) =>
          log.warn({ error, action, sign_in_id: signInId }, 'cannot report a sign-in to the audit log'),
        ),
    );
  }

  /**
   * Delivers the stored changes, oldest first. Resolves when all were tried, and after two seconds in any
   * case: no request waits for the changes of an outage. A failure is logged, and a later delivery tries
   * again. Never rejects.
   */
  deliver(): Promise<void> {
    // A running delivery may have finished reading before the newest change, so another one follows it.
    this.#next ??= (this.#delivering ?? Promise.resolve()).then(() => {
      this.#delivering = this.#next;
      this.#next = undefined;
      return this.#deliverAll();
    });
    inBackground(this.#next);
    return Promise.race([this.#next, setTimeout(MAX_WAIT_MS, undefined, { ref: false })]);
  }

  async #deliverAll(): Promise<void> {
    const { log, signInChangeStore } = this.#context;
    let position = 0n;
    const report = async (change: StoredSignInChange) => {
      position = change.position;
      await this.#report(change);
    };
    for (let isMore = true; isMore; ) {
      isMore = await signInChangeStore.takeNext(position, report).catch((error: unknown) => {
        log.warn({ error, position }, 'cannot report a change of a sign-in to the audit log; tries again');
        // Goes on after a refused change, and stops while the control planes cannot be reached.
        return error instanceof DashboardError && error.code !== 'service_unavailable';
      });
    }
  }

  async #report(change: StoredSignInChange): Promise<void> {
    const { object_type: type, object_id: objectId, object_name: name, sign_in_id: signInId } = change;
    await this.#context.holder.reportSignInChange({
      eventId: change.event_id,
      changedAtMs: change.changed_at.getTime(),
      action: change.action,
      email: change.email,
      ...(signInId !== null && { signInId }),
      clientIp: change.client_ip,
      requestId: change.request_id,
      object: type === null ? null : { type, id: objectId ?? '', name: name ?? '' },
    });
  }
}
