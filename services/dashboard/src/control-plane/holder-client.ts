import type {
  AnswerOf,
  AskOf,
  ControlPlaneClient,
  MethodOf,
  SignedInUserMessage,
} from '@model-gateway/contracts';
import { clientDisconnected } from '../errors/availability-errors.ts';
import { mapControlPlaneError } from '../errors/map-control-plane-error.ts';

/** Long enough for a revocation, which waits up to 4 s for the data planes. */
const DEADLINE_MS = 10_000;

type Method = MethodOf<'dashboard'>;
type Ask<Name extends Method> = AskOf<'dashboard', Name>;
type Answer<Name extends Method> = AnswerOf<'dashboard', Name>;

/** Calls the methods of DashboardService. Every method throws DashboardError. */
export class HolderClient {
  readonly #client: ControlPlaneClient;

  constructor(client: ControlPlaneClient) {
    this.#client = client;
  }

  /** Returns the accounts of a sign-in; idempotent, so it is retried. */
  openAccounts(ask: Ask<'openAccounts'>): Promise<Answer<'openAccounts'>> {
    return mapped(this.#client.call(DEADLINE_MS, 'dashboard', 'openAccounts', ask));
  }

  redeemPasswordReset(ask: Ask<'redeemPasswordReset'>): Promise<Answer<'redeemPasswordReset'>> {
    return mapped(this.#client.callOnce(DEADLINE_MS, 'dashboard', 'redeemPasswordReset', ask));
  }

  /** Reports an attempt to sign in. Repeating it could record it twice. */
  reportSignIn(ask: Ask<'reportSignIn'>): Promise<Answer<'reportSignIn'>> {
    return mapped(this.#client.callOnce(DEADLINE_MS, 'dashboard', 'reportSignIn', ask));
  }

  /** Reports a change of a sign-in; idempotent by `eventId`, so it is retried. */
  reportSignInChange(ask: Ask<'reportSignIn'> & { eventId: string }): Promise<Answer<'reportSignIn'>> {
    return mapped(this.#client.call(DEADLINE_MS, 'dashboard', 'reportSignIn', ask));
  }

  /** Returns a client for reads by this user. @param signal stops them */
  readsBy(user: SignedInUserMessage, signal?: AbortSignal): HolderReads {
    return new HolderReads(this.#client, user, signal);
  }

  /** Returns a client for changes, which are recorded as made by this user; they always finish. */
  changesBy(user: SignedInUserMessage): HolderChanges {
    return new HolderChanges(this.#client, user);
  }
}

/** Calls the methods that read something, in the name of a signed-in user. They throw DashboardError. */
export class HolderReads {
  readonly #client: ControlPlaneClient;
  readonly #user: SignedInUserMessage;
  readonly #signal: AbortSignal | undefined;

  readonly listHolderKeys = this.#read('listHolderKeys');
  readonly getHolderUsage = this.#read('getHolderUsage');
  readonly listHolderRequests = this.#read('listHolderRequests');
  readonly getHolderReceipt = this.#read('getHolderReceipt');
  readonly getHolderLimits = this.#read('getHolderLimits');
  readonly getHolderSettings = this.#read('getHolderSettings');
  readonly getHolderRules = this.#read('getHolderRules');
  readonly getHolderStatement = this.#read('getHolderStatement');
  readonly listHolderTeams = this.#read('listHolderTeams');
  readonly findOfferedSeat = this.#read('findOfferedSeat');
  readonly listHolderAuditEvents = this.#read('listHolderAuditEvents');
  readonly listHolderAdminKeys = this.#read('listHolderAdminKeys');
  readonly listHolderWebhooks = this.#read('listHolderWebhooks');
  readonly listHolderWebhookDeliveries = this.#read('listHolderWebhookDeliveries');
  readonly callManagementApi = this.#read('callManagementApi');
  readonly listHolderMembers = this.#read('listHolderMembers');
  readonly findOfferedMembership = this.#read('findOfferedMembership');

  constructor(client: ControlPlaneClient, user: SignedInUserMessage, signal: AbortSignal | undefined) {
    this.#client = client;
    this.#user = user;
    this.#signal = signal;
  }

  #read<Name extends Method>(name: Name): (ask: Ask<Name>) => Promise<Answer<Name>> {
    return async (ask) => {
      try {
        return await mapped(this.#client.call(DEADLINE_MS, 'dashboard', name, ask, this.#signal, this.#user));
      } catch (error) {
        if (this.#signal?.aborted) throw clientDisconnected();
        throw error;
      }
    };
  }
}

/** Calls the methods that change something, in the name of a signed-in user. They throw DashboardError. */
export class HolderChanges {
  readonly #client: ControlPlaneClient;
  readonly #user: SignedInUserMessage;

  readonly createHolderKey = this.#once('createHolderKey');
  readonly setHolderKeyCache = this.#repeatable('setHolderKeyCache');
  readonly revokeHolderKey = this.#repeatable('revokeHolderKey');
  readonly setHolderCalendar = this.#repeatable('setHolderCalendar');
  readonly setHolderMails = this.#repeatable('setHolderMails');
  readonly setHolderContents = this.#repeatable('setHolderContents');
  /** A change, because it records the look. */
  readonly viewHolderContents = this.#repeatable('viewHolderContents');
  readonly setHolderRules = this.#repeatable('setHolderRules');
  readonly createPlaygroundKey = this.#once('createPlaygroundKey');
  readonly createHolderTeam = this.#once('createHolderTeam');
  readonly setHolderTeamLimit = this.#repeatable('setHolderTeamLimit');
  readonly inviteToHolderTeam = this.#once('inviteToHolderTeam');
  readonly withdrawHolderInvitation = this.#once('withdrawHolderInvitation');
  readonly acceptInvitation = this.#once('acceptInvitation');
  readonly removeHolderSeat = this.#repeatable('removeHolderSeat');
  readonly moveMoney = this.#once('moveMoney');
  readonly createHolderAdminKey = this.#once('createHolderAdminKey');
  readonly revokeHolderAdminKey = this.#repeatable('revokeHolderAdminKey');
  readonly inviteHolderMember = this.#once('inviteHolderMember');
  readonly changeHolderMemberRole = this.#repeatable('changeHolderMemberRole');
  readonly removeHolderMember = this.#once('removeHolderMember');
  readonly acceptMembership = this.#once('acceptMembership');
  readonly createHolderWebhook = this.#once('createHolderWebhook');
  readonly changeHolderWebhook = this.#repeatable('changeHolderWebhook');
  readonly removeHolderWebhook = this.#once('removeHolderWebhook');
  readonly rotateHolderWebhookSecret = this.#once('rotateHolderWebhookSecret');
  readonly testHolderWebhook = this.#once('testHolderWebhook');
  readonly redeliverHolderWebhook = this.#once('redeliverHolderWebhook');
  readonly callManagementApi = this.#once('callManagementApi');

  constructor(client: ControlPlaneClient, user: SignedInUserMessage) {
    this.#client = client;
    this.#user = user;
  }

  /** Creates an idempotent call, which is retried. */
  #repeatable<Name extends Method>(name: Name): (ask: Ask<Name>) => Promise<Answer<Name>> {
    return (ask) => mapped(this.#client.call(DEADLINE_MS, 'dashboard', name, ask, undefined, this.#user));
  }

  #once<Name extends Method>(name: Name): (ask: Ask<Name>) => Promise<Answer<Name>> {
    return (ask) => mapped(this.#client.callOnce(DEADLINE_MS, 'dashboard', name, ask, this.#user));
  }
}

async function mapped<Response>(response: Promise<Response>): Promise<Response> {
  try {
    return await response;
  } catch (error) {
    throw mapControlPlaneError(error);
  }
}
