import { isDeepStrictEqual } from 'node:util';
import type { ApiKeyMessage } from '@model-gateway/contracts';
import { CACHE_OFF } from '@model-gateway/shared/rules';
import { timestampOrNull } from '../output/timestamp.ts';
import { CALL_DEADLINE_MS } from '../run-command.ts';
import { ownRules } from './apply-rules.ts';
import { type ApplyRun, applyChange, applyDifferences, compareField, findNamed } from './apply-run.ts';
import { compareRules } from './compare-rules.ts';
import { createWithSecret } from './create-with-secret.ts';
import type { WantedKey } from './gateway-file.ts';
import { keysInForce } from './keys-in-force.ts';

/** The account or seat that has keys. Its ids are undefined in a plan that creates it. */
export interface KeyOwner {
  /** Id or e-mail address of the holder. */
  account: string | undefined;
  /** Undefined: keys of the account itself. */
  seat?: { id: string | undefined };
  /** Such as `ada@example.com`. */
  name: string;
  /** Prefix of the names of its keys in the file of secrets: `ada@example.com`. */
  secretPrefix: string;
}

export async function applyKeys(
  run: ApplyRun,
  owner: KeyOwner,
  wanted: readonly WantedKey[] | undefined,
): Promise<void> {
  if (wanted === undefined) return;
  const nameOf = (name: string) => `key ${name} of ${owner.name}`;
  const keys = await keysInForce(run.client, owner);
  for (const one of wanted) {
    const key = findNamed(keys, one.name, nameOf(one.name));
    const secret = `${owner.secretPrefix}/${one.name}`;
    if (key === undefined) await createKey(run, owner, one, { object: nameOf(one.name), secret });
    else await applyKey(run, key, one, { object: nameOf(one.name), secret });
  }
  if (!run.prunes) return;
  for (const { id: keyId, name } of keys.filter((key) => !wanted.some((one) => one.name === key.name))) {
    await applyChange(run, { action: 'remove', object: nameOf(name) }, () =>
      run.client.call(CALL_DEADLINE_MS, 'accounts', 'revokeKey', { keyId, dryRun: false }),
    );
  }
}

interface KeyNames {
  object: string;
  /** Name in the file of secrets. */
  secret: string;
}

async function createKey(
  run: ApplyRun,
  { account = '', seat }: KeyOwner,
  { cache = null, expires_at = null, name, rules, tags }: WantedKey,
  { object, secret }: KeyNames,
): Promise<void> {
  const request = {
    account,
    name,
    ...(seat?.id !== undefined && { seatId: seat.id }),
    ...(expires_at !== null && { expiresAtMs: Date.parse(expires_at) }),
    ...(rules !== undefined && { rulesJson: JSON.stringify(rules) }),
    ...(tags !== undefined && { tags }),
    ...(cache !== null && { cache }),
  };
  await applyChange(run, { action: 'create', object }, () =>
    createWithSecret(run, secret, async () => {
      const { rawKey } = await run.client.callOnce(CALL_DEADLINE_MS, 'accounts', 'createKey', request);
      return rawKey;
    }),
  );
}

async function applyKey(
  run: ApplyRun,
  key: ApiKeyMessage,
  wanted: WantedKey,
  { object, secret }: KeyNames,
): Promise<void> {
  let keyId = key.id;
  if (run.secrets?.isPending(secret)) {
    const differences = [{ field: 'secret', from: 'lost by an interrupted run', to: 'a new one' }];
    const rotated = await applyChange(run, { action: 'change', object, differences }, () =>
      run.client.callOnce(CALL_DEADLINE_MS, 'accounts', 'rotateKey', { keyId, overlapMs: 0 }),
    );
    if (rotated !== undefined) {
      await run.secrets.put(secret, rotated.rawKey);
      keyId = rotated.key?.id ?? keyId;
    }
  }
  const { cache, rules, tags } = wanted;
  const expiry = compareField('expires_at', timestampOrNull(key.expiresAtMs), isoTime(wanted.expires_at));
  const content = [
    ...compareField('tags', key.tags, tags, isDeepStrictEqual),
    ...compareField('cache', key.cache ?? null, cache),
    ...(rules === undefined ? [] : compareRules(await ownRules(run, { kind: 'key', id: key.id }), rules)),
  ];
  await applyDifferences(run, object, [...content, ...expiry], async () => {
    const unconfirmedInstances: string[] = [];
    if (content.length > 0) {
      const answer = await run.client.call(CALL_DEADLINE_MS, 'accounts', 'changeKey', {
        keyId,
        ...(rules !== undefined && { rulesJson: JSON.stringify(rules) }),
        ...(tags !== undefined && { tags: { tags } }),
        ...(cache !== undefined && { cache: cache ?? CACHE_OFF }),
      });
      unconfirmedInstances.push(...answer.unconfirmedInstances);
    }
    if (expiry.length > 0) {
      const at = wanted.expires_at ?? null;
      const when = at === null ? { never: true } : { atMs: Date.parse(at) };
      const answer = await run.client.call(CALL_DEADLINE_MS, 'accounts', 'expireKey', { keyId, ...when });
      unconfirmedInstances.push(...answer.unconfirmedInstances);
    }
    return { unconfirmedInstances };
  });
}

/** Returns a time in the form in which the gateway reports times. */
function isoTime(time: string | null | undefined): string | null | undefined {
  return typeof time === 'string' ? new Date(time).toISOString() : time;
}
