import { inBackground, type Logger } from '@model-gateway/service-kit';
import type { HolderClient } from '../control-plane/holder-client.ts';

export interface SignInReport {
  /** Such as `login.failed`. */
  action: string;
  /** As typed in; empty if it is unknown, such as for a passkey. */
  email: string;
  signInId?: string;
  /** Such as how somebody signed in: `password and code`. */
  detail?: string;
  object?: { type: string; id: string; name: string };
}

interface RequestOrigin {
  clientIp: string;
  requestId: string;
}

const MAX_ID_LENGTH = 100;
const MAX_TEXT_LENGTH = 200;

/** Reports sign-ins and changes of them to the audit log. */
export class SignInReports {
  readonly #context: { holder: Pick<HolderClient, 'reportSignIn'>; log: Logger };

  constructor(context: { holder: Pick<HolderClient, 'reportSignIn'>; log: Logger }) {
    this.#context = context;
  }

  /** Reports a sign-in without making its request wait. */
  send(report: SignInReport, origin: RequestOrigin): void {
    inBackground(this.record(report, origin));
  }

  /** Reports a change. Resolves when the audit log has it, or else the log of this process. Never rejects. */
  async record({ object, ...report }: SignInReport, origin: RequestOrigin): Promise<void> {
    const { holder, log } = this.#context;
    const named = object && {
      type: object.type,
      id: object.id.slice(0, MAX_ID_LENGTH),
      name: object.name.slice(0, MAX_TEXT_LENGTH).replaceAll(/[\p{Cc}\p{Cs}]/gu, ' '),
    };
    const { action, signInId } = report;
    await holder
      .reportSignIn({ ...report, ...origin, object: named ?? null })
      .catch((error: unknown) =>
        log.warn(
          { error, action, sign_in_id: signInId, object: named?.id },
          'cannot report a sign-in to the audit log',
        ),
      );
  }
}
