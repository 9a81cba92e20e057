import type {
  AccountMessage,
  ControlPlaneClient,
  ControlPlaneStubs,
  CreateKeyResponseMessage,
  CreatePlaygroundKeyResponseMessage,
  GetHolderLimitsResponseMessage,
  GetUsageResponseMessage,
  HolderReceiptMessage,
  InviteToHolderTeamResponseMessage,
  ListHolderKeysResponseMessage,
  ListHolderRequestsResponseMessage,
  ListHolderTeamsResponseMessage,
  MoveMoneyResponseMessage,
  OfferedSeatMessage,
  RedeemPasswordResetResponseMessage,
  RemoveSeatResponseMessage,
  RevokeKeyResponseMessage,
  SeatInvitationMessage,
  SeatMessage,
  SetTeamLimitResponseMessage,
  TeamMessage,
} from '@model-gateway/contracts';
import { nobodyWaits } from '../errors/availability-errors.ts';
import { fromControlPlane } from '../errors/from-control-plane.ts';

/** Revoking waits up to 4 s for the data planes. */
const DEADLINE_MS = 10_000;

type Dashboard = ControlPlaneStubs['dashboard'];
/** What each method of the stub takes. */
type Asks = {
  [Method in keyof Dashboard]: Dashboard[Method] extends (request: infer Ask, ...rest: never[]) => unknown
    ? Ask
    : never;
};
type Invoke<Answer> = Parameters<typeof ControlPlaneClient.prototype.call<Answer>>[1];

/** DashboardService with its errors as the dashboard's own. Every method throws DashboardError. */
export class HolderClient {
  readonly #client: ControlPlaneClient;
  readonly #signal: AbortSignal | undefined;

  /** @param signal ends what is only read */
  constructor(client: ControlPlaneClient, signal?: AbortSignal) {
    this.#client = client;
    this.#signal = signal;
  }

  /**
   * The same for somebody who may go away: what is read for them ends then. What changes something never
   * does.
   */
  endingWith(signal: AbortSignal): HolderClient {
    return new HolderClient(this.#client, signal);
  }

  openAccount(ask: Asks['openAccount']): Promise<AccountMessage> {
    return this.#repeatable((stubs, metadata, options, callback) =>
      stubs.dashboard.openAccount(ask, metadata, options, callback),
    );
  }

  redeemPasswordReset(ask: Asks['redeemPasswordReset']): Promise<RedeemPasswordResetResponseMessage> {
    return this.#once((stubs, metadata, options, callback) =>
      stubs.dashboard.redeemPasswordReset(ask, metadata, options, callback),
    );
  }

  listHolderKeys(ask: Asks['listHolderKeys']): Promise<ListHolderKeysResponseMessage> {
    return this.#read((stubs, metadata, options, callback) =>
      stubs.dashboard.listHolderKeys(ask, metadata, options, callback),
    );
  }

  createHolderKey(ask: Asks['createHolderKey']): Promise<CreateKeyResponseMessage> {
    return this.#once((stubs, metadata, options, callback) =>
      stubs.dashboard.createHolderKey(ask, metadata, options, callback),
    );
  }

  revokeHolderKey(ask: Asks['revokeHolderKey']): Promise<RevokeKeyResponseMessage> {
    return this.#repeatable((stubs, metadata, options, callback) =>
      stubs.dashboard.revokeHolderKey(ask, metadata, options, callback),
    );
  }

  createPlaygroundKey(ask: Asks['createPlaygroundKey']): Promise<CreatePlaygroundKeyResponseMessage> {
    return this.#once((stubs, metadata, options, callback) =>
      stubs.dashboard.createPlaygroundKey(ask, metadata, options, callback),
    );
  }

  getHolderUsage(ask: Asks['getHolderUsage']): Promise<GetUsageResponseMessage> {
    return this.#read((stubs, metadata, options, callback) =>
      stubs.dashboard.getHolderUsage(ask, metadata, options, callback),
    );
  }

  listHolderRequests(ask: Asks['listHolderRequests']): Promise<ListHolderRequestsResponseMessage> {
    return this.#read((stubs, metadata, options, callback) =>
      stubs.dashboard.listHolderRequests(ask, metadata, options, callback),
    );
  }

  getHolderReceipt(ask: Asks['getHolderReceipt']): Promise<HolderReceiptMessage> {
    return this.#read((stubs, metadata, options, callback) =>
      stubs.dashboard.getHolderReceipt(ask, metadata, options, callback),
    );
  }

  getHolderLimits(ask: Asks['getHolderLimits']): Promise<GetHolderLimitsResponseMessage> {
    return this.#read((stubs, metadata, options, callback) =>
      stubs.dashboard.getHolderLimits(ask, metadata, options, callback),
    );
  }

  listHolderTeams(ask: Asks['listHolderTeams']): Promise<ListHolderTeamsResponseMessage> {
    return this.#read((stubs, metadata, options, callback) =>
      stubs.dashboard.listHolderTeams(ask, metadata, options, callback),
    );
  }

  createHolderTeam(ask: Asks['createHolderTeam']): Promise<TeamMessage> {
    return this.#once((stubs, metadata, options, callback) =>
      stubs.dashboard.createHolderTeam(ask, metadata, options, callback),
    );
  }

  setHolderTeamLimit(ask: Asks['setHolderTeamLimit']): Promise<SetTeamLimitResponseMessage> {
    return this.#repeatable((stubs, metadata, options, callback) =>
      stubs.dashboard.setHolderTeamLimit(ask, metadata, options, callback),
    );
  }

  inviteToHolderTeam(ask: Asks['inviteToHolderTeam']): Promise<InviteToHolderTeamResponseMessage> {
    return this.#once((stubs, metadata, options, callback) =>
      stubs.dashboard.inviteToHolderTeam(ask, metadata, options, callback),
    );
  }

  withdrawHolderInvitation(ask: Asks['withdrawHolderInvitation']): Promise<SeatInvitationMessage> {
    return this.#once((stubs, metadata, options, callback) =>
      stubs.dashboard.withdrawHolderInvitation(ask, metadata, options, callback),
    );
  }

  findOfferedSeat(ask: Asks['findOfferedSeat']): Promise<OfferedSeatMessage> {
    return this.#repeatable((stubs, metadata, options, callback) =>
      stubs.dashboard.findOfferedSeat(ask, metadata, options, callback),
    );
  }

  acceptInvitation(ask: Asks['acceptInvitation']): Promise<SeatMessage> {
    return this.#once((stubs, metadata, options, callback) =>
      stubs.dashboard.acceptInvitation(ask, metadata, options, callback),
    );
  }

  removeHolderSeat(ask: Asks['removeHolderSeat']): Promise<RemoveSeatResponseMessage> {
    return this.#repeatable((stubs, metadata, options, callback) =>
      stubs.dashboard.removeHolderSeat(ask, metadata, options, callback),
    );
  }

  moveMoney(ask: Asks['moveMoney']): Promise<MoveMoneyResponseMessage> {
    return this.#once((stubs, metadata, options, callback) =>
      stubs.dashboard.moveMoney(ask, metadata, options, callback),
    );
  }

  /** Changes nothing. */
  async #read<Answer>(invoke: Invoke<Answer>): Promise<Answer> {
    try {
      return await mapped(this.#client.call(DEADLINE_MS, invoke, this.#signal));
    } catch (error) {
      if (this.#signal?.aborted) throw nobodyWaits();
      throw error;
    }
  }

  /** May run twice without harm. */
  #repeatable<Answer>(invoke: Invoke<Answer>): Promise<Answer> {
    return mapped(this.#client.call(DEADLINE_MS, invoke));
  }

  #once<Answer>(invoke: Invoke<Answer>): Promise<Answer> {
    return mapped(this.#client.callOnce(DEADLINE_MS, invoke));
  }
}

async function mapped<Answer>(answer: Promise<Answer>): Promise<Answer> {
  try {
    return await answer;
  } catch (error) {
    throw fromControlPlane(error);
  }
}
