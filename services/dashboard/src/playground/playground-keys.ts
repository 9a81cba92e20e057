import type { SignedInUserMessage } from '@model-gateway/contracts';
import type { Logger } from '@model-gateway/service-kit';
import { LRUCache } from 'lru-cache';
import type { HolderClient } from '../control-plane/holder-client.ts';

export interface PlaygroundKeysContext {
  holder: Pick<HolderClient, 'changesBy'>;
  log: Logger;
}

export interface PlaygroundPayer {
  sessionId: string;
  user: SignedInUserMessage;
  /** Undefined: the account pays. */
  seatId: string | undefined;
}

interface PlaygroundKey {
  id: string;
  rawKey: string;
  usableUntilMs: number;
  /** Created it, in the account that the session showed. */
  user: SignedInUserMessage;
}

/** Keys of a session, by account and seat. */
type SessionKeys = Map<string, Promise<PlaygroundKey>>;

const MAX_SESSIONS = 10_000;
/** Replaces keys this long before they expire, so that none expires during a chat. */
const MARGIN_MS = 60_000;

/** Creates and caches the hidden keys of playground sessions. They exist only in memory. */
export class PlaygroundKeys {
  readonly #context: PlaygroundKeysContext;
  readonly #sessions = new LRUCache<string, SessionKeys>({ max: MAX_SESSIONS });

  constructor(context: PlaygroundKeysContext) {
    this.#context = context;
  }

  /**
   * Returns the raw key for a session's chat, paid by the account or a seat. Concurrent chats share it.
   * @param rejected a key that the gateway has rejected: it is replaced
   * @throws DashboardError the errors of CreatePlaygroundKey
   */
  async rawKey(payer: PlaygroundPayer, rejected?: string): Promise<string> {
    const { sessionId, user, seatId } = payer;
    const bySeat = this.#keysOf(sessionId);
    // A session can show another account later.
    const seat = `${user.accountId} ${seatId ?? ''}`;
    for (let current = bySeat.get(seat); current !== undefined; ) {
      const key = await current;
      if (key.usableUntilMs > Date.now() && key.rawKey !== rejected) return key.rawKey;
      // The first caller that still finds the old key replaces it; the others wait for the new one.
      const latest = bySeat.get(seat);
      current = latest === current ? undefined : latest;
    }
    const creating = this.#create(payer);
    bySeat.set(seat, creating);
    creating.catch(() => {
      if (bySeat.get(seat) === creating) bySeat.delete(seat);
    });
    return (await creating).rawKey;
  }

  /**
   * Revokes the keys of a session that has ended. A key that cannot be revoked expires soon.
   * @param origin the request that ended the session
   */
  revoke(sessionId: string, origin: Pick<SignedInUserMessage, 'clientIp' | 'requestId'>): void {
    const keys = this.#sessions.get(sessionId);
    if (keys === undefined) return;
    this.#sessions.delete(sessionId);
    const { holder, log } = this.#context;
    for (const creating of keys.values()) {
      creating
        .then(async ({ id, usableUntilMs, user }) => {
          // An expired key may already be deleted.
          if (usableUntilMs + MARGIN_MS < Date.now()) return;
          await holder.changesBy({ ...user, ...origin }).revokeHolderKey({ keyId: id });
        })
        .catch((error: unknown) => log.warn({ error }, 'a playground key could not be revoked'));
    }
  }

  #keysOf(sessionId: string): SessionKeys {
    let keys = this.#sessions.get(sessionId);
    if (keys === undefined) {
      keys = new Map();
      this.#sessions.set(sessionId, keys);
    }
    return keys;
  }

  async #create({ seatId, user }: PlaygroundPayer): Promise<PlaygroundKey> {
    const { keyId, rawKey, expiresAtMs } = await this.#context.holder
      .changesBy(user)
      .createPlaygroundKey(seatId === undefined ? {} : { seatId });
    return { id: keyId, rawKey, usableUntilMs: Number(expiresAtMs) - MARGIN_MS, user };
  }
}
