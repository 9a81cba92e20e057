import type {
  AnswerOf,
  AskOf,
  ControlPlaneClient,
  MethodOf,
  SignedInUserMessage,
} from '@model-gateway/contracts';
import { nobodyWaits } from '../errors/availability-errors.ts';
import { fromControlPlane } from '../errors/from-control-plane.ts';

/** Long enough for a revocation, which waits up to 4 s for the data planes. */
const DEADLINE_MS = 10_000;

type Method = MethodOf<'dashboard'>;
type Ask<Name extends Method> = AskOf<'dashboard', Name>;
type Answer<Name extends Method> = AnswerOf<'dashboard', Name>;

/**
 * The client of DashboardService: what can be asked without naming who is signed in. Every method throws
 * DashboardError.
 */
export class HolderClient {
  readonly #client: ControlPlaneClient;
  readonly #signal: AbortSignal | undefined;

  readonly openAccount = this.#repeatable('openAccount');
  readonly redeemPasswordReset = this.#once('redeemPasswordReset');
  readonly listHolderKeys = this.#read('listHolderKeys');
  readonly getHolderUsage = this.#read('getHolderUsage');
  readonly listHolderRequests = this.#read('listHolderRequests');
  readonly getHolderReceipt = this.#read('getHolderReceipt');
  readonly getHolderLimits = this.#read('getHolderLimits');
  readonly listHolderTeams = this.#read('listHolderTeams');
  readonly findOfferedSeat = this.#repeatable('findOfferedSeat');

  /** @param signal ends calls that only read */
  constructor(client: ControlPlaneClient, signal?: AbortSignal) {
    this.#client = client;
    this.#signal = signal;
  }

  /** The same client for a caller who may go away: that ends calls that only read, and no others. */
  endingWith(signal: AbortSignal): HolderClient {
    return new HolderClient(this.#client, signal);
  }

  changesOf(user: SignedInUserMessage): HolderChanges {
    return new HolderChanges(this.#client, user);
  }

  /** For calls that change nothing. */
  #read<Name extends Method>(name: Name): (ask: Ask<Name>) => Promise<Answer<Name>> {
    return async (ask) => {
      try {
        return await mapped(this.#client.call(DEADLINE_MS, 'dashboard', name, ask, this.#signal));
      } catch (error) {
        if (this.#signal?.aborted) throw nobodyWaits();
        throw error;
      }
    };
  }

  /** For calls that may run twice without harm. */
  #repeatable<Name extends Method>(name: Name): (ask: Ask<Name>) => Promise<Answer<Name>> {
    return (ask) => mapped(this.#client.call(DEADLINE_MS, 'dashboard', name, ask));
  }

  #once<Name extends Method>(name: Name): (ask: Ask<Name>) => Promise<Answer<Name>> {
    return (ask) => mapped(this.#client.callOnce(DEADLINE_MS, 'dashboard', name, ask));
  }
}

/** The calls by which a signed-in user changes something. Every method throws DashboardError. */
export class HolderChanges {
  readonly #client: ControlPlaneClient;
  readonly #user: SignedInUserMessage;

  readonly createHolderKey = this.#once('createHolderKey');
  readonly revokeHolderKey = this.#repeatable('revokeHolderKey');
  readonly createPlaygroundKey = this.#once('createPlaygroundKey');
  readonly createHolderTeam = this.#once('createHolderTeam');
  readonly setHolderTeamLimit = this.#repeatable('setHolderTeamLimit');
  readonly inviteToHolderTeam = this.#once('inviteToHolderTeam');
  readonly withdrawHolderInvitation = this.#once('withdrawHolderInvitation');
  readonly acceptInvitation = this.#once('acceptInvitation');
  readonly removeHolderSeat = this.#repeatable('removeHolderSeat');
  readonly moveMoney = this.#once('moveMoney');

  constructor(client: ControlPlaneClient, user: SignedInUserMessage) {
    this.#client = client;
    this.#user = user;
  }

  /** For calls that may run twice without harm. */
  #repeatable<Name extends Method>(name: Name): (ask: Ask<Name>) => Promise<Answer<Name>> {
    return (ask) => mapped(this.#client.call(DEADLINE_MS, 'dashboard', name, ask, undefined, this.#user));
  }

  #once<Name extends Method>(name: Name): (ask: Ask<Name>) => Promise<Answer<Name>> {
    return (ask) => mapped(this.#client.callOnce(DEADLINE_MS, 'dashboard', name, ask, this.#user));
  }
}

async function mapped<Answer>(answer: Promise<Answer>): Promise<Answer> {
  try {
    return await answer;
  } catch (error) {
    throw fromControlPlane(error);
  }
}
