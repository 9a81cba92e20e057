import type { SignedInUserMessage } from '@model-gateway/contracts';
import type { Logger } from '@model-gateway/service-kit';
import { LRUCache } from 'lru-cache';
import type { HolderClient } from '../control-plane/holder-client.ts';

export interface PlaygroundKeysContext {
  holder: Pick<HolderClient, 'changesOf'>;
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
}

interface SessionKeys {
  user: SignedInUserMessage;
  /** The keys by seat; the empty string stands for the account itself. */
  bySeat: Map<string, Promise<PlaygroundKey>>;
}

const MAX_SESSIONS = 10_000;
/** Keys are replaced so long before their end, because users would notice one that expires in a chat. */
const MARGIN_MS = 60_000;

/** The hidden keys of running playground sessions. They are kept only here. */
export class PlaygroundKeys {
  readonly #context: PlaygroundKeysContext;
  readonly #sessions = new LRUCache<string, SessionKeys>({ max: MAX_SESSIONS });

  constructor(context: PlaygroundKeysContext) {
    this.#context = context;
  }

  /**
   * The raw key for a session's chat, paid by the account or a seat. Concurrent chats share it.
   * @param refused a key that the gateway has refused: it is replaced
   * @throws DashboardError the errors of CreatePlaygroundKey
   */
  async rawKey(payer: PlaygroundPayer, refused?: string): Promise<string> {
    const { sessionId, user, seatId } = payer;
    const { bySeat } = this.#keysOf(sessionId, user);
    const place = seatId ?? '';
    for (let current = bySeat.get(place); current !== undefined; ) {
      const key = await current;
      if (key.usableUntilMs > Date.now() && key.rawKey !== refused) return key.rawKey;
      // The first caller that still finds the old key replaces it; the others wait for the new one.
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

  /**
   * To be called when the session has ended. If a key cannot be revoked now, it expires by itself.
   * @param origin the request that has ended the session
   */
  revoke(sessionId: string, origin: Pick<SignedInUserMessage, 'clientIp' | 'requestId'>): void {
    const keys = this.#sessions.get(sessionId);
    if (keys === undefined) return;
    this.#sessions.delete(sessionId);
    const { holder, log } = this.#context;
    const changes = holder.changesOf({ ...keys.user, ...origin });
    for (const minting of keys.bySeat.values()) {
      minting
        .then(async ({ id, usableUntilMs }) => {
          // An expired key may already be deleted.
          if (usableUntilMs + MARGIN_MS < Date.now()) return;
          await changes.revokeHolderKey({ keyId: id });
        })
        .catch((error: unknown) => log.warn({ error }, 'a playground key could not be revoked'));
    }
  }

  #keysOf(sessionId: string, user: SignedInUserMessage): SessionKeys {
    let keys = this.#sessions.get(sessionId);
    if (keys === undefined) {
      keys = { user, bySeat: new Map() };
      this.#sessions.set(sessionId, keys);
    }
    return keys;
  }

  async #mint({ seatId, user }: PlaygroundPayer): Promise<PlaygroundKey> {
    const { keyId, rawKey, expiresAtMs } = await this.#context.holder
      .changesOf(user)
      .createPlaygroundKey(seatId === undefined ? {} : { seatId });
    return { id: keyId, rawKey, usableUntilMs: Number(expiresAtMs) - MARGIN_MS };
  }
}
