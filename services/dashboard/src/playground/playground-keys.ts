import type { Logger } from '@model-gateway/service-kit';
import { LRUCache } from 'lru-cache';
import type { HolderClient } from '../control-plane/holder-client.ts';

export interface PlaygroundKeysContext {
  holder: Pick<HolderClient, 'createPlaygroundKey' | 'revokeHolderKey'>;
  log: Logger;
}

export interface PlaygroundPayer {
  sessionId: string;
  signInId: string;
  accountId: string;
  /** Undefined: the account pays. */
  seatId: string | undefined;
}

interface PlaygroundKey {
  id: string;
  rawKey: string;
  usableUntilMs: number;
}

interface SessionKeys {
  accountId: string;
  /** By seat; empty: none. */
  bySeat: Map<string, Promise<PlaygroundKey>>;
}

const MAX_SESSIONS = 10_000;
/** A key that runs out in the middle of a chat would be seen. */
const MARGIN_MS = 60_000;

/** The hidden keys of running playground sessions. They live here and nowhere else. */
export class PlaygroundKeys {
  readonly #context: PlaygroundKeysContext;
  readonly #sessions = new LRUCache<string, SessionKeys>({ max: MAX_SESSIONS });

  constructor(context: PlaygroundKeysContext) {
    this.#context = context;
  }

  /**
   * The raw key with which a session's chat is paid by account or seat; for concurrent chats the same one.
   * @param refused one that the gateway has refused: it is replaced
   * @throws DashboardError as CreatePlaygroundKey
   */
  async rawKey(payer: PlaygroundPayer, refused?: string): Promise<string> {
    const { sessionId, accountId, seatId } = payer;
    const { bySeat } = this.#keysOf(sessionId, accountId);
    const place = seatId ?? '';
    for (let current = bySeat.get(place); current !== undefined; ) {
      const key = await current;
      if (key.usableUntilMs > Date.now() && key.rawKey !== refused) return key.rawKey;
      // Whoever finds it still there replaces it; the others wait for that one.
      const since = bySeat.get(place);
      current = since === current ? undefined : since;
    }
    const minting = this.#mint(payer);
    bySeat.set(place, minting);
    minting.catch(() => {
      if (bySeat.get(place) === minting) bySeat.delete(place);
    });
    return (await minting).rawKey;
  }

  /** The session is over. Best effort: a key that cannot be revoked now ends by itself. */
  revoke(sessionId: string): void {
    const keys = this.#sessions.get(sessionId);
    if (keys === undefined) return;
    this.#sessions.delete(sessionId);
    const { holder, log } = this.#context;
    for (const minting of keys.bySeat.values()) {
      minting
        .then(async ({ id, usableUntilMs }) => {
          // One that has expired may already be forgotten.
          if (usableUntilMs + MARGIN_MS < Date.now()) return;
          await holder.revokeHolderKey({ accountId: keys.accountId, keyId: id });
        })
        .catch((error: unknown) => log.warn({ error }, 'a playground key could not be revoked'));
    }
  }

  #keysOf(sessionId: string, accountId: string): SessionKeys {
    let keys = this.#sessions.get(sessionId);
    if (keys === undefined) {
      keys = { accountId, bySeat: new Map() };
      this.#sessions.set(sessionId, keys);
    }
    return keys;
  }

  async #mint({ accountId, seatId, signInId }: PlaygroundPayer): Promise<PlaygroundKey> {
    const { keyId, rawKey, expiresAtMs } = await this.#context.holder.createPlaygroundKey({
      accountId,
      signInId,
      ...(seatId === undefined ? {} : { seatId }),
    });
    return { id: keyId, rawKey, usableUntilMs: Number(expiresAtMs) - MARGIN_MS };
  }
}
